import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

/// Damaged lines of --inputs.
@Suite struct PinInputFuzzTests {
  private static let lines = [
    #"["set", "D2", 1]"#, #"[1.5, "set", "A5", 0]"#, #" [ "analog" , "A0" , 2.5 ] "#,
    #"[0.000001, "analog", "D13", 4.999999]"#, #"[1, "rx", "X90."]"#, #"{"set": ["D2", 1]}"#,
  ].map { Array(($0 + "\n").utf8) }
  private static let pieces = [
    "[", "]", "\"", ",", "{", "}", ":", "\\", "\\u0000", "\\ud800", "-", "1e999", "99999999999999",
    "0.0000001", "\"set\"", "\"analog\"", "\"D2\"", "\"pca9685@0x40:3\"", "5.000001", "null", "\r",
    "\n", "\t", "\u{0}", "\u{FEFF}", "é",
  ].map { Array($0.utf8) }

  private static func damaged(_ random: inout SeededGenerator) -> [UInt8] {
    var text = (0..<4).flatMap { _ in lines.randomElement(using: &random) ?? [] }
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let place = Int.random(in: 0...text.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: text.insert(.random(in: 0...255, using: &random), at: place)
      case 1: text.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
      case 2: text.removeSubrange(place..<min(text.count, place + 5))
      case 3: text.insert(contentsOf: text.suffix(from: place).prefix(20), at: place)
      default:
        let piece = pieces.randomElement(using: &random) ?? []
        for _ in 0..<100 { text.insert(contentsOf: piece, at: place) }
      }
    }
    return text
  }

  @Test(arguments: 0..<8)
  func `Damaged lines are inputs of real pins or mistakes, however they are divided`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = Self.damaged(&random)
      var whole = PinInputLines(path: "pins")
      let arrivals = whole.take(text)
      #expect(arrivals.count <= text.count { $0 == 0x0A }, "seed \(seed)")
      for arrival in arrivals {
        switch arrival {
        case .input(.level(let pin, _)): #expect(pin.arduino != nil, "seed \(seed)")
        case .input(.voltage(let pin, let microvolts)):
          #expect(pin.arduino != nil, "seed \(seed)")
          #expect(BoardInput.voltages.contains(microvolts), "seed \(seed)")
        case .input(.part(_, let millionths)):
          #expect((0...BoardInput.partMax).contains(millionths), "seed \(seed)")
        case .mistake(let message):
          #expect(message.hasPrefix("pins: input "), "seed \(seed): \(message)")
        }
      }
      var parts = PinInputLines(path: "pins")
      var divided: [PinInputLines.Arrival] = []
      var rest = text[...]
      while !rest.isEmpty {
        let part = rest.prefix(.random(in: 1...7, using: &random))
        divided += parts.take(part)
        rest = rest.dropFirst(part.count)
      }
      #expect(divided == arrivals, "seed \(seed)")
    }
  }

  @Test func `A line after damaged ones is understood`() {
    var random = SeededGenerator(seed: 99)
    var lines = PinInputLines(path: "pins")
    for _ in 0..<200 {
      _ = lines.take(Self.damaged(&random))
      _ = lines.take([0x0A])
      #expect(
        lines.take(Array("[\"set\", \"D2\", 1]\n".utf8))
          == [.input(.level(BoardPin(arduino: 2)!, true))])
    }
  }
}
