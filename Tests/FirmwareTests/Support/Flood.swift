import TestSupport

/// Bytes of all kinds without a pause: valid commands, invalid ones and random bytes.
struct Flood {
  private static let words = [
    "X90.", "X0.", "X180.", "X45.", "L", "L", "T", "O", "C", "?", "V", "j", "X", "X181.", "X0000.",
    "XL", "X9X8.", "\r\n", "????????", "VVVV", "?V?V", "LX1.L", "TOCTOC",
  ]

  private var random: SeededGenerator
  private let words: [String]

  init(seed: UInt64, words: [String] = words) {
    random = SeededGenerator(seed: seed)
    self.words = words
  }

  /// Returns at least `count` bytes.
  mutating func next(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if words.count > 1 && random.next() % 8 == 0 {
        bytes.append(UInt8(truncatingIfNeeded: random.next()))
      } else {
        bytes += words[Int(random.next() % UInt64(words.count))].utf8
      }
    }
    return bytes
  }
}
