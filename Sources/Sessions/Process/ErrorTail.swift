import Traces

/// The end of what a command printed.
package struct ErrorTail: Hashable, Sendable {
  /// The number of bytes of standard error that are kept for a report.
  package static let bytesMax = 4_096

  private let bytesMax: Int
  /// The last bytes, at most `bytesMax`.
  package private(set) var bytes: [UInt8] = []
  /// Whether there were bytes before them.
  package private(set) var isCut = false

  package init(keeping bytesMax: Int = ErrorTail.bytesMax) { self.bytesMax = bytesMax }

  package mutating func append(_ more: some Collection<UInt8>) {
    bytes += more.suffix(bytesMax)
    if more.count > bytesMax { isCut = true }
    guard bytes.count > bytesMax else { return }
    isCut = true
    bytes.removeFirst(bytes.count - bytesMax)
  }

  /// The lines as text. Control characters are escaped, and bytes that are not UTF-8 are replaced.
  package var text: String {
    var text = PlainText.lines(String(decoding: bytes, as: UTF8.self))
    while text.last == "\n" { text.removeLast() }
    return text
  }
}
