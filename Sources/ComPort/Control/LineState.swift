/// The state of the line as RFC 2217 reports it.
struct LineState: Hashable, Sendable {
  /// Nothing waits for the line, and, further, nothing is on it.
  var isHoldingEmpty = true
  var isShiftEmpty = true
  /// Bytes wait for the client.
  var hasData = false
  /// Bytes for the client were lost since the last report.
  var hasLostBytes = false

  var bits: UInt8 {
    (isShiftEmpty ? 64 : 0) | (isHoldingEmpty ? 32 : 0) | (hasLostBytes ? 2 : 0)
      | (hasData ? 1 : 0)
  }
}
