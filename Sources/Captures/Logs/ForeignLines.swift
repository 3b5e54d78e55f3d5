import Traces

/// The lines of a log that are not the tool's own. One of them can be a damaged record, so a log
/// with such lines is refused, unless the user accepts that. Python's account of an error, and a
/// line that the log's end cuts, are left out.
struct ForeignLines {
  private let isLossy: Bool
  private var failure: CaptureError?
  private var isInTraceback = false
  private var count = 0
  private var first = 0

  init(_ options: CaptureOptions) { isLossy = options.isLossy }

  /// Fails if a line before the next one was foreign.
  func check() throws(CaptureError) {
    if let failure { throw failure }
  }

  /// Takes a line that is not the tool's own.
  mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int, expected: String) {
    guard !line.trimmed.isEmpty else { return }
    if line.starts(with: "Traceback (most recent call last)") { isInTraceback = true }
    if count == 0 { first = number }
    count += 1
    guard !isLossy, !isInTraceback else { return }
    failure = CaptureError(
      .malformed, at: .line(number, column: 1),
      "expected \(expected), found another line. If it is no part of the log, "
        + "--lossy leaves it out")
  }

  /// Takes a line that is the tool's own.
  mutating func takeOwn() { isInTraceback = false }

  /// Returns a note about the lines that were left out. Fails if the last line was foreign and is
  /// whole.
  func end(isCut: Bool) throws(CaptureError) -> [String] {
    if let failure, !isCut { throw failure }
    guard count > 0 else { return [] }
    if failure != nil { return ["The log ends within a line; that line was left out."] }
    let lines = String(counting: count, "line")
    return [
      "\(lines) left out that \(count == 1 ? "is" : "are") not the tool's: line \(first)"
        + (count == 1 ? "." : " is the first.")
    ]
  }
}
