import AVR
import Foundation
import Testing

/// Compares the pins with yasimavr, an independent emulator that ran the same program with the same
/// bytes.
@Suite("Pins compared with yasimavr", .enabled(if: !PinRun.all.isEmpty))
struct PinTests {
  private struct Edge: Equatable {
    var cycle: Int64
    var isHigh: Bool
  }

  /// One microsecond in cycles.
  private static let tolerance: Int64 = 16

  @Test(arguments: PinRun.all)
  func `Every edge is within 1 us of yasimavr's`(run: PinRun) throws {
    let image = try SketchImage.read(URL(filePath: run.program))
    var chip = ATmega328P(flash: image.flash)
    var theirs: [String: [Edge]] = ["9": [], "11": []]
    let lines = try String(contentsOf: URL(filePath: run.edges), encoding: .utf8)
      .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    var end: UInt64 = 0
    for words in lines {
      if words[0] == "end" {
        end = try #require(UInt64(words[1]))
      } else if words[0] == "rx" {
        let cycle = try #require(UInt64(words[1]))
        chip.run(until: cycle)
        chip.startBit()
        chip.receive(try #require(UInt8(words[2])))
      } else {
        let cycle = try #require(Int64(words[1]))
        theirs[words[0]]?.append(Edge(cycle: cycle, isHigh: words[2] == "1"))
      }
    }
    chip.run(until: end)
    var ours: [String: [Edge]] = ["9": [], "11": []]
    for event in chip.takeEvents() {
      guard case .pin(let pin, let isHigh) = event.event else { continue }
      let name = pin == Pin(.B, 1) ? "9" : pin == Pin(.B, 3) ? "11" : ""
      ours[name]?.append(Edge(cycle: Int64(event.cycle), isHigh: isHigh))
    }
    for name in ["9", "11"] {
      let pairs = zip(ours[name]!, theirs[name]!)
      let distances = pairs.map { $0.cycle - $1.cycle }
      #expect(abs(ours[name]!.count - theirs[name]!.count) <= 1)
      #expect(pairs.allSatisfy { $0.isHigh == $1.isHigh })
      #expect(distances.allSatisfy { abs($0) <= Self.tolerance })
      print(
        "pin \(name), \(run.edges): \(distances.count) edges, ours",
        "\(distances.min() ?? 0)...\(distances.max() ?? 0) cycles later than yasimavr's")
    }
    #expect(theirs["9"]!.count > 100)
  }
}
