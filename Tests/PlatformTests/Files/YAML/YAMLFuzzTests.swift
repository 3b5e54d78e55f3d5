import Judging
import Platform
import TestSupport
import Testing

/// Damaged YAML.
@Suite("Damaged YAML") struct YAMLFuzzTests {
  private static let original = """
    %YAML 1.1
    ---
    defaults: {firmware: classic, timeout: 10s}
    scenarios:
      - name: "aims again \\x41 after the wire cut a command"
        send: [[1.5, "X90."], [1.7, 'X100']]
        expect:
          - {servo: 100 ± 2, within: 50ms, of: "X100."}   # a comment
          - never: [lost, junk]
      - run: |
          python3 sender.py
        ? a
        : >-
          folded
    --- a
    ...
    """
  private static let pieces = [
    "[", "]", "{", "}", ": ", "- ", "? ", "|", ">", "\"", "'", "&a ", "*a", "!t ", "%", "---\n",
    "...\n", "\n", "\t", "  ", ",", "#", "\\", "\u{0}", "\u{FEFF}", "\u{85}", "\u{2028}", "°",
    "<<: ", "@", "`",
  ].map { Array($0.utf8) }

  private static func damaged(_ random: inout SeededGenerator) -> [UInt8] {
    var text = Array(original.utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...text.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: text.insert(.random(in: 0...255, using: &random), at: place)
      case 1: text.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
      case 2: text.removeSubrange(place..<min(text.count, place + 7))
      case 3: text.insert(contentsOf: text.suffix(from: place).prefix(40), at: place)
      default:
        let piece = pieces.randomElement(using: &random) ?? []
        for _ in 0..<200 { text.insert(contentsOf: piece, at: place) }
      }
    }
    return text
  }

  @Test(arguments: 0..<8)
  func `Damaged text gives documents or an error with a place in the text`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var readCount = 0
    for _ in 0..<500 {
      let text = Self.damaged(&random)
      do {
        _ = try YAMLText.documents(in: text)
        readCount += 1
      } catch {
        let lines = text.count { $0 == 0x0A || $0 == 0x0D || $0 == 0x85 || $0 == 0xA8 } + 2
        #expect((1...lines).contains(error.place.line), "seed \(seed): \(error)")
        #expect(error.place.column >= 1, "seed \(seed): \(error)")
        #expect(!error.message.isEmpty, "seed \(seed)")
      }
    }
    #expect(readCount > 0 && readCount < 500, "seed \(seed)")
  }

  /// If the time grew with the square of the length, this would take many minutes.
  @Test(.timeLimit(.minutes(2)))
  func `A text that is all openings or all keys is read in little time`() {
    for piece in Self.pieces
      + ["a: ", "a:\n", "- a\n", "a: {b", "[a, ", "? [", "\"a\": "].map({
        Array($0.utf8)
      })
    {
      let text = Array(repeatElement(piece, count: 100_000 / piece.count).joined())
      _ = try? YAMLText.documents(in: text)
    }
  }
}
