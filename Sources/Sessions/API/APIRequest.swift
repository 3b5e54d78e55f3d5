package import Traces
package import Turret
package import Verification

/// A client's request to the session.
package enum APIRequest: Hashable, Sendable {
  /// Agrees on the version. `ends`: whether the session ends when this client disconnects.
  case hello(ends: Bool)
  /// Waits until the sketch listens.
  case ready
  /// Sends bytes at a time of the session; nil for now.
  case send([UInt8], at: Instant?)
  /// Applies a level or a voltage to a pin at a time of the session; nil for now.
  case input(BoardInput, at: Instant?)
  /// Sets the sender's speed, in bits a second.
  case speed(Int)
  /// Sets the sender's format.
  case format(LineFormat)
  /// Holds the line low for this long.
  case lineBreak(Interval)
  /// Sets or releases modem lines; nil leaves a line as it is.
  case lines(dtr: Bool?, rts: Bool?)
  /// Restarts the board. The bootloader owns the line for this long; nil for the usual time.
  case reset(Interval?)
  /// States a rule. A rule that waits for an output fails if it is not decided after `patience`;
  /// nil lets it wait until the end.
  case expect(Rule, patience: Interval?)
  case state
  case counts
  /// Returns at most `max` events from an index on.
  case events(from: Int, max: Int)
  /// Requests events as they happen, from an index on; nil for those from now on.
  case subscribe(from: Int?)
  case unsubscribe
  case explain
  case plot
  case trace
  /// Lets virtual time pass.
  case run(until: Instant)
  case end
}

extension APIRequest {
  /// The version of the protocol.
  static let version = 1

  /// Identifies the request that an answer belongs to: a number or a short text.
  package typealias ID = JSONValue

  /// A request that cannot be carried out, and why.
  package struct Mistake: Error, Hashable, Sendable {
    /// Nil if it could not be read.
    package var id: ID?
    package var message: String
  }

  /// The values of `do`, each with the other keys that its request can have.
  static let keys: [(name: String, others: [String])] = [
    ("hello", ["version", "ends"]), ("ready", []), ("send", ["bytes", "at"]),
    ("set", ["pin", "level", "at"]), ("analog", ["pin", "volts", "at"]),
    ("speed", ["baud"]), ("format", ["format"]), ("break", ["seconds"]), ("lines", ["dtr", "rts"]),
    ("reset", ["dead"]),
    ("expect", ["rule", "place", "patience"]), ("state", []), ("counts", []),
    ("events", ["from", "max"]), ("subscribe", ["from"]), ("unsubscribe", []), ("explain", []),
    ("plot", []), ("trace", []), ("run", ["until"]), ("end", []),
  ]
}
