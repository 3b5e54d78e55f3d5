/// The answer to a request of the page.
package struct PageAnswer: Hashable, Sendable {
  /// The raw value is what the page reads.
  package enum Kind: Int32, Hashable, Sendable {
    /// The bytes are the result.
    case result
    /// The bytes are a message for the user.
    case failure
    /// The page has to inflate the bytes (raw deflate), give the result with `done`, and repeat its
    /// request.
    case inflate
    /// The same, but compress the bytes as gzip.
    case compress
    /// The file is not a trace: the page has to convert it, and give the result with `converted`.
    case convert
    /// The request is for the emulated chip: the page has to ask `Emulator`.
    case chip
    /// The request is for a file of another tool: the page has to ask `Converter`.
    case draw
  }

  package var kind: Kind
  package var bytes: [UInt8]

  package init(_ kind: Kind, _ bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  package init(_ text: String) { self.init(.result, Array(text.utf8)) }
}
