import Captures
import Devices
import Foundation
import Sessions
import Sketches
import TestSupport
import Testing
import Traces

/// Every trace of this repository as a waveform, decoded again.
@Suite struct WaveformCorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "traces")

  static let names: [String] = {
    let paths = FileManager.default.subpaths(atPath: folder.path()) ?? []
    // The sessions of 72 minutes in which the chip's clock wraps would take minutes.
    return paths.filter { $0.hasSuffix(".jsonl") && !$0.contains("clock-wraps") }.sorted()
  }()

  private static func reader(_ name: String) throws -> TraceReader {
    let text = [UInt8](try Data(contentsOf: folder.appending(path: name)))
    return try TraceReader(text: text, path: name)
  }

  /// What the lines carry according to the events of a session.
  private struct Carried {
    var received: [(start: Instant, byte: UInt8, baud: Int)] = []
    var transmitted: [(start: Instant, byte: UInt8)] = []
    var pulses: [(edge: Instant, width: Double)] = []
    private var baud: Int
    private var free = Instant.zero

    init(baud: Int) { self.baud = baud }

    mutating func take(_ event: Event) {
      switch event.kind {
      case .receive(let bytes):
        var clock = ByteClock(baud: baud, startingAt: max(free, event.time))
        for byte in bytes {
          received.append((clock.instant, byte, baud))
          clock.advance()
        }
        free = clock.instant
      case .baud(let baud): self.baud = baud
      case .output(.transmit(let byte)): transmitted.append((event.time, byte))
      case .output(.pulse(let width, _)): pulses.append((event.time, width))
      default: break
      }
    }
  }

  private static func draw(
    _ name: String, _ format: WaveformFormat, recorded: Set<Output.Kind>
  ) throws -> [UInt8] {
    var reader = try reader(name)
    let firmware = reader.header.firmware(unless: nil)
    let device = ModelSource().makeDevice(
      for: reader.header, firmware: firmware, showsPulses: true)
    let output = WaveformOutput(
      format, rate: .standard, WaveformPlan(recorded: recorded, on: device.capabilities),
      deviceName: "model", timing: firmware.sketch.timing)
    var bytes: [UInt8] = []
    let report = try output.draw(&reader, on: device) { bytes += $0 }
    #expect(report.notes.isEmpty && report.fault == nil)
    return bytes
  }

  private static func compare(_ file: WaveFile, _ carried: Carried, baud: Int, _ name: Comment) {
    let received = file.bytes(on: "RX", bauds: carried.received.map { $0.baud })
    #expect(received.map { $0.byte } == carried.received.map { $0.byte }, name)
    for (found, byte) in zip(received, carried.received) {
      let off = abs(found.nanoseconds - Double(byte.start.nanoseconds))
      #expect(off <= max(1e8 / Double(byte.baud), 1_000), name)
    }
    let transmitted = file.bytes(on: "TX", bauds: [baud])
    #expect(transmitted.map { $0.byte } == carried.transmitted.map { $0.byte }, name)
    for (found, byte) in zip(transmitted, carried.transmitted) {
      let off = abs(found.nanoseconds - Double(byte.start.nanoseconds))
      #expect(off <= max(1e8 / Double(baud), 1_000), name)
    }
    let pulses = file.pulses(on: "SERVO")
    #expect(pulses.count == carried.pulses.count, name)
    for (found, pulse) in zip(pulses, carried.pulses) {
      #expect(abs(found.nanoseconds - Double(pulse.edge.nanoseconds)) <= 1_000, name)
      #expect(abs(found.width - pulse.width * 1_000) <= 1_000, name)
    }
  }

  @Test(arguments: names)
  func `a waveform has the trace's bytes, and its pulses if it has any`(name: String) throws {
    var reader = try Self.reader(name)
    let baud = reader.header.baud
    var recorded = reader.header.expects ?? []
    var carried = Carried(baud: baud)
    while let event = try reader.next() {
      if let output = event.output { recorded.insert(output.kind) }
      carried.take(event)
    }
    let text = String(
      decoding: try Self.draw(name, .vcd, recorded: recorded), as: UTF8.self)
    let file = WaveFile(vcd: text)
    // If the trace has no bytes from the board or pulses of its own, the model's are drawn.
    if !recorded.contains(.transmit) { carried.transmitted = [] }
    if !recorded.contains(.pulse) { carried.pulses = file.pulses(on: "SERVO").asCarried }
    if recorded.contains(.transmit) {
      Self.compare(file, carried, baud: baud, "\(name)")
    } else {
      var quiet = file
      quiet.wires["TX"] = nil
      Self.compare(quiet, carried, baud: baud, "\(name)")
    }
  }

  @Test(arguments: names)
  func `with a device, a waveform has the bytes and pulses of its replay`(name: String) throws {
    var reader = try Self.reader(name)
    let (header, firmware) = (reader.header, reader.header.firmware(unless: nil))
    var carried = Carried(baud: header.baud)
    let device = ModelSource().makeDevice(for: header, firmware: firmware, showsPulses: true)
    var replay = Replay(device, until: header.end, kinds: Set(Output.Kind.allCases))
    while let event = try reader.next() { replay.take(event) { carried.take($0) } }
    replay.finish(after: reader.time) { carried.take($0) }
    let text = String(decoding: try Self.draw(name, .saleae, recorded: []), as: UTF8.self)
    Self.compare(WaveFile(saleae: text), carried, baud: header.baud, "\(name)")
  }
}

extension [(nanoseconds: Double, width: Double)] {
  fileprivate var asCarried: [(edge: Instant, width: Double)] {
    map { (Instant(nanoseconds: Int64($0.nanoseconds)), $0.width / 1_000) }
  }
}
