package import Traces

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
    /// The request is for the emulated chip or a line with faults: the page has to ask `Emulator`.
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

/// Why a request has no result, as a message for the user.
package struct PageFailure: Error, Hashable, Sendable {
  package let message: String

  package init(_ message: String) { self.message = PlainText.of(message, upTo: 1_000) }

  package init(_ error: TraceError) { self.init(error.description) }
}
