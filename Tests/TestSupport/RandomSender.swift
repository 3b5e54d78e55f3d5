package import Sketches
package import Traces

/// The same bytes with different timing: cut into other records, with other gaps.
package struct RandomSender {
  /// The bytes, one command or piece of junk at a time.
  package let words: [[UInt8]]

  package init(_ firmware: Firmware, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    words = (0..<Int.random(in: 1...25, using: &generator)).map { _ in
      Self.word(firmware, &generator)
    }
  }

  package var bytes: [UInt8] { words.flatMap { $0 } }

  /// Sends the words with gaps of up to `gapMax` ms between them, from before the end of the
  /// start-up to long after it; one in three is cut in two.
  package func inputs(seed: UInt64, gapMax: Int64) -> (inputs: [Event], end: Instant) {
    var generator = SeededGenerator(seed: seed)
    var time = Instant.zero + .microseconds(Int64.random(in: 1_000...2_500_000, using: &generator))
    var inputs: [Event] = []
    for word in words {
      if word.count > 1, Int.random(in: 0..<3, using: &generator) == 0 {
        let cut = Int.random(in: 1..<word.count, using: &generator)
        inputs.append(Event(time, .receive(Array(word[..<cut]))))
        time += .microseconds(Int64.random(in: 0...60_000, using: &generator))
        inputs.append(Event(time, .receive(Array(word[cut...]))))
      } else {
        inputs.append(Event(time, .receive(word)))
      }
      let longest = Bool.random(using: &generator) ? gapMax * 1_000 : 3_000
      time += .microseconds(Int64.random(in: 0...longest, using: &generator))
    }
    return (inputs, time + .milliseconds(Int64.random(in: 500...3_000, using: &generator)))
  }

  private static func word(
    _ firmware: Firmware, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    func aim(_ value: Int) -> [UInt8] { Array("X\(value).".utf8) }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0..<5: return aim(Int.random(in: 0...180, using: &generator))
    case 5..<8: return Array("L".utf8)
    case 8: return aim(Int.random(in: 181...70_000, using: &generator))
    case 9: return Array(["T", "O", "C", "OC"].randomElement(using: &generator)!.utf8)
    case 10: return Array("\r\n".utf8)
    case 11: return Array("?".utf8)
    case 12:
      return firmware == .guarded ? Array("V".utf8) : aim(Int.random(in: 0...30, using: &generator))
    default:
      let count = Int.random(in: 2...6, using: &generator)
      return (0..<count).flatMap { _ in aim(Int.random(in: 0...180, using: &generator)) }
    }
  }
}
