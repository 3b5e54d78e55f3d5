import Sketches
import TestSupport

/// A sender's stream: commands, broken commands and junk, with gaps from none to most of a second.
struct RandomStream {
  let records: [(time: Int, bytes: [UInt8])]
  /// Nanoseconds.
  let end: Int

  /// `asksNothing` replaces `?` and `V` with junk.
  init(seed: UInt64, asksNothing: Bool = false) {
    var generator = SeededGenerator(seed: seed)
    var records: [(time: Int, bytes: [UInt8])] = []
    // Some sessions begin before the sketch reads its port.
    var time = Int.random(in: 0...1_400_000, using: &generator) * 1_000
    for _ in 0..<Int.random(in: 1...60, using: &generator) {
      records.append((time, Self.word(&generator)))
      let gap =
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: Int.random(in: 0...2_000, using: &generator)
        case 4..<8: Int.random(in: 2_000...40_000, using: &generator)
        default: Int.random(in: 40_000...900_000, using: &generator)
        }
      time += gap * 1_000
    }
    let telemetry = [UInt8(ascii: "?"), UInt8(ascii: "V")]
    self.records = records.map { record in
      let bytes = record.bytes.map { byte in
        asksNothing && telemetry.contains(byte) ? UInt8(ascii: "j") : byte
      }
      return (record.time, bytes)
    }
    end = time + Int.random(in: 0...4_000_000, using: &generator) * 1_000
  }

  private static func word(_ generator: inout SeededGenerator) -> [UInt8] {
    func aim(_ value: Int) -> [UInt8] { Array("X\(value).".utf8) }
    switch Int.random(in: 0..<16, using: &generator) {
    case 0..<4: return aim(Int.random(in: 0...180, using: &generator))
    case 4..<7: return Array("L".utf8)
    case 7: return aim(Int.random(in: 181...70_000, using: &generator))
    case 8: return Array(aim(Int.random(in: 100...180, using: &generator)).prefix(4))
    case 9: return [[0xFF], Array("X4\u{7F}5.".utf8)].randomElement(using: &generator)!
    case 10: return [0x58, 0x31, 0xFF, 0x32, 0xFF, 0x2E]
    case 11: return Array(["T", "O", "C", "TOC"].randomElement(using: &generator)!.utf8)
    case 12:
      return (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
    case 13: return Array("X.XLX-5.".utf8.prefix(Int.random(in: 1...8, using: &generator)))
    case 14: return Array("?V\r\n".utf8.prefix(Int.random(in: 1...4, using: &generator)))
    default:
      let count = Int.random(in: 2...25, using: &generator)
      return (0..<count).flatMap { _ in aim(Int.random(in: 0...180, using: &generator)) }
    }
  }
}
