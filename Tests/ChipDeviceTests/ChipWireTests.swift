import AVR
import ChipDevice
import Devices
import Foundation
import Sketches
import Testing
import Traces

@Suite struct ChipWireTests {
  private static func prebuilt(_ name: String) throws -> AVRSource {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let contents = try Data(contentsOf: root.appending(path: "firmware/\(name)/\(name).hex"))
    let image = try ProgramImage(contents: Array(contents), name: name)
    return AVRSource(AVRProgram(image, name: name))
  }

  /// Runs a prebuilt sketch that receives bytes at 1.5 s. Returns its outputs and its wires.
  private static func run(
    _ name: String, _ text: String, for length: Interval
  ) throws -> ([TimedOutput], [WireChange]) {
    let header = Header(firmware: .guarded, duration: nil, title: nil)
    let device = try prebuilt(name).makeDevice(for: header, firmware: .guarded, showsPulses: true)
    var simulation = Simulation(device, watchesWires: true)
    var (outputs, changes): ([TimedOutput], [WireChange]) = ([], [])
    for (instant, text) in [(Instant.zero + .milliseconds(1_500), text), (.zero + length, "")] {
      while simulation.step(to: instant) {
        outputs += simulation.outputs
        changes += simulation.wireChanges
      }
      simulation.feed(Event(instant, .receive(Array(text.utf8))))
    }
    return (outputs, changes)
  }

  @Test(arguments: ["classic", "guarded"])
  func `the servo's wire has the edges of the pulses, to the cycle`(name: String) throws {
    let (outputs, changes) = try Self.run(name, "X45.", for: .seconds(2))
    let edges = changes.filter { $0.wire == .servo }
    #expect(edges.enumerated().allSatisfy { $1.isHigh == ($0 % 2 == 0) })
    let pulses = outputs.compactMap { seen -> (Instant, Double)? in
      if case .pulse(let width, _) = seen.output { (seen.time, width) } else { nil }
    }
    #expect(pulses.count == 99)
    for (index, (time, width)) in pulses.enumerated() {
      let (rise, fall) = (edges[2 * index].time, edges[2 * index + 1].time)
      #expect(rise.roundedUpToMicrosecond == time)
      // A cycle of 62.5 ns is stamped in whole nanoseconds.
      #expect(abs((fall - rise).seconds * 1e6 - width) < 0.0011)
    }
  }

  @Test func `the line from the board has the speed that the chip really has`() throws {
    let (outputs, changes) = try Self.run("guarded", "?", for: .seconds(2))
    let sent = outputs.compactMap { seen -> (Instant, UInt8)? in
      if case .transmit(let byte) = seen.output { (seen.time, byte) } else { nil }
    }
    // The first is the level at rest, after power-on.
    let levels = Array(changes.filter { $0.wire == .tx }.dropFirst())
    #expect(sent.count > 10)
    #expect(levels.count == 10 * sent.count)
    for (index, (time, byte)) in sent.enumerated() {
      let bits = levels[10 * index..<10 * (index + 1)]
      let start = try #require(bits.first?.time)
      #expect(start.roundedUpToMicrosecond == time)
      // UBRR0 is 207 with U2X0: 8 * 208 cycles a bit, 9 615 baud.
      #expect(bits.map { $0.time - start } == (0...9).map { .microseconds(104 * $0) })
      let value = bits.dropFirst().prefix(8).enumerated().reduce(UInt8(0)) {
        $0 | ($1.element.isHigh ? 1 << UInt8($1.offset) : 0)
      }
      #expect(value == byte && bits.first?.isHigh == false && bits.last?.isHigh == true)
    }
  }

  @Test func `wires are recorded only on request`() throws {
    let header = Header(firmware: .classic, duration: nil, title: nil)
    let device = try Self.prebuilt("classic")
      .makeDevice(for: header, firmware: .classic, showsPulses: true)
    var simulation = Simulation(device)
    while simulation.step(to: .zero + .milliseconds(100)) {
      #expect(simulation.wireChanges.isEmpty)
    }
  }
}
