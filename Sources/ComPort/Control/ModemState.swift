/// The modem lines that the server's end of a port reports. An Uno has none of them. A client that
/// waits for them is told that the board is present and ready, but not clear to send while many
/// bytes wait for the line.
struct ModemState: Hashable, Sendable {
  var isClearToSend = true {
    didSet { if isClearToSend != oldValue { hasChanged = true } }
  }
  private var hasChanged = false

  /// Carrier and data set ready, always; clear to send; the change of the latter since the last
  /// report.
  var bits: UInt8 { 128 | 32 | (isClearToSend ? 16 : 0) | (hasChanged ? 1 : 0) }

  mutating func clearChanges() { hasChanged = false }
}
