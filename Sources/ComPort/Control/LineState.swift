/// The state of the line as RFC 2217 reports it.
struct LineState: Hashable, Sendable {
  /// Whether nothing waits for the line, followed by whether nothing is on it.
  var isHoldingEmpty = true
  var isShiftEmpty = true
  /// Whether bytes wait for the client.
  var hasData = false
  /// Whether bytes for the client have been lost since the last report.
  var hasLostBytes = false

  var bits: UInt8 {
    (isShiftEmpty ? 64 : 0) | (isHoldingEmpty ? 32 : 0) | (hasLostBytes ? 2 : 0)
      | (hasData ? 1 : 0)
  }
}
