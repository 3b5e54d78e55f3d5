import Traces
package import Turret

/// One command as its sender wrote it, whatever the sketch made of it; or other bytes, which do not
/// begin a command.
package struct SentCommand: Hashable, Sendable {
  package enum Form: Hashable, Sendable {
    /// A complete command.
    case whole
    /// The beginning of one. Another byte, silence or the end of the session broke it off.
    case brokenOff
    /// Not a command.
    case unknown
  }

  /// At most `textMax` bytes: the first ones, and the byte that ends a longer command.
  package var text: [UInt8]
  package var form: Form
  /// Whether its profile does not allow its numbers.
  package var isRefused = false
  /// When its first byte began to arrive.
  package var begin: Instant
  /// When its last byte began to arrive.
  package var last: Instant
  /// Its first event in the session, counted from 0.
  package var event: Int

  /// The longest text that is kept.
  static let textMax = 64

  /// The text, in quotes.
  package var quoted: String { PlainText.quoted(String(latin1: text)) }
}

extension String {
  /// Creates a text from bytes, each a character from U+0000 to U+00FF.
  package init(latin1 bytes: some Sequence<UInt8>) {
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
    self = String(scalars)
  }
}
