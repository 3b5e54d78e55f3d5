import Judging
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

  init(_ failure: PageFailure) { self.init(.failure, Array(failure.message.utf8)) }
}

/// Why a request has no result, as a message for the user.
package struct PageFailure: Error, Hashable, Sendable {
  package let message: String

  package init(_ message: String) { self.message = PlainText.of(message, upTo: 1_000) }

  package init(_ error: TraceError) { self.init(error.description) }

  /// All mistakes in a file of the user's, one in a line.
  init(_ error: NotationError, in path: String) { message = PlainText.lines(error.text(in: path)) }

  /// Does something with a trace, whose error becomes a failure.
  static func of<Result>(_ work: () throws(TraceError) -> Result) throws(PageFailure) -> Result {
    do throws(TraceError) {
      return try work()
    } catch {
      throw PageFailure(error)
    }
  }
}

/// Compression and decompression, which a browser offers and a module without a library lacks.
///
/// The page does the work between two attempts at the same request: the first attempt records what
/// has to be done, and the second uses the result.
package final class PageWork {
  /// The most bytes that are kept, so that a recording of many parts cannot fill the memory.
  private static var keptMax: Int { 512 << 20 }

  private var all: [(given: PageAnswer, result: [UInt8])] = []
  private var kept = 0
  private var isRepeating = false
  /// What the page has to do before the request is repeated; nil if nothing.
  package private(set) var due: PageAnswer?

  package init() {}

  /// Begins a request. What was done is forgotten, unless the request delivers a result or is the
  /// one after that, which uses it.
  func begin(isResult: Bool) {
    if !isResult, !isRepeating { reset() }
    isRepeating = isResult
  }

  private func reset() {
    all.removeAll()
    kept = 0
    due = nil
  }

  package func finish(_ result: [UInt8]) throws(PageFailure) {
    guard let due else { throw PageFailure("error: expected a result that was requested") }
    self.due = nil
    kept += due.bytes.count + result.count
    guard kept <= Self.keptMax else {
      reset()
      throw PageFailure("error: expected a recording with at most 512 MB of data")
    }
    all.append((due, result))
  }

  /// Returns the result of work; nil if it has to be done first.
  package func result(of work: PageAnswer) -> [UInt8]? {
    if let done = all.first(where: { $0.given == work }) { return done.result }
    due = work
    return nil
  }

  /// Returns the bytes compressed as gzip; nil if the page has to do that first.
  func compress(_ bytes: [UInt8]) -> [UInt8]? { result(of: PageAnswer(.compress, bytes)) }
}
