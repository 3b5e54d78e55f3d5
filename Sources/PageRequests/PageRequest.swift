/// A request of the page: a word, its argument, and bytes after the first line.
///
///     open truncated.jsonl
///     {"format": "sentry-trace", ...
package struct PageRequest: Hashable, Sendable {
  /// The longest first line, in bytes.
  private static let lineMax = 1_024

  package let word: String
  /// The rest of the first line; empty if there is none.
  package let argument: String
  package let payload: [UInt8]

  package init(_ bytes: [UInt8]) {
    let line = bytes.prefix(Self.lineMax).prefix { $0 != 0x0A }
    let word = line.prefix { $0 != 0x20 }
    self.word = String(decoding: word, as: UTF8.self)
    argument = String(decoding: line.dropFirst(word.count + 1), as: UTF8.self)
    payload = Array(bytes.dropFirst(line.count + 1))
  }
}
