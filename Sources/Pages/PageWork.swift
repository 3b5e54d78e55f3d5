/// Compression and decompression, which a browser offers and a module without a library lacks.
///
/// The page does the work between two attempts at the same request: the first attempt records what
/// has to be done, and the second uses the result.
package final class PageWork {
  /// The most bytes that are kept, so that a recording of many parts cannot fill the memory.
  private static var keptMax: Int { 512 << 20 }

  private var all: [(given: PageAnswer, result: [UInt8])] = []
  private var kept = 0
  /// What the page has to do before the request is repeated; nil if nothing.
  package private(set) var due: PageAnswer?

  package init() {}

  /// Forgets everything that was done.
  package func reset() {
    all.removeAll()
    kept = 0
    due = nil
  }

  /// Takes the result of what was due.
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
