/// An open port to a board: raw bytes, 8N1, nonblocking. It is closed when its last reference is
/// released.
package protocol BoardPort: AnyObject, Sendable {
  /// The port's name for messages.
  var path: String { get }
  /// Readable when something has arrived.
  var descriptor: CInt { get }

  /// Returns bytes that were received; empty if there are none.
  func read() throws(SerialError) -> [UInt8]
  /// Returns the board's bytes among those that the caller has read from the descriptor.
  func decode(_ bytes: [UInt8]) -> [UInt8]
  /// Writes as many bytes as there is room for. Returns how many that were.
  func write(_ bytes: some Sequence<UInt8>) throws(SerialError) -> Int
  /// Sets the speed of both directions, in bits a second.
  func setSpeed(_ speed: Int) throws(SerialError)
  /// The number of written bytes that have not been passed on; 0 if unknown.
  var outputCount: Int { get }
  /// Discards received bytes that have not been read.
  func discardInput()
  /// Restarts an Uno by switching DTR and RTS off for a while; it restarts when they are switched
  /// on again. Returns false if the port has no modem lines.
  func pulseReset() throws(SerialError) -> Bool
}

extension BoardPort {
  package func decode(_ bytes: [UInt8]) -> [UInt8] { bytes }
}

/// Where a board can be reached. Each session opens its port there again.
package protocol BoardPlace: Sendable {
  /// The device's name in the `source` of a trace recorded there.
  var name: String { get }
  /// Throws if there is certainly no port. Does not disturb an existing one.
  func check() throws(SerialError)
  /// Whether a port that could not be opened may appear later.
  var canAppear: Bool { get }
  /// Opens the port at a speed in bits a second. With `keepsLines`, neither opening nor closing
  /// changes its modem lines, as far as the system permits.
  func open(speed: Int, keepsLines: Bool) throws(SerialError) -> any BoardPort
  /// Opens the port of the same board after it was gone; nil if it is not back.
  func reopen(speed: Int, keepsLines: Bool) throws(SerialError) -> (any BoardPort)?
}
