package import PageRequests
package import Turret

/// What the page asks of the session that it drives.
package enum DriveRequest: Hashable, Sendable {
  static var words: [String] { ["advance", "step", "send", "reset", "back", "driven"] }

  case advance(Interval)
  /// Advance to what happens next.
  case step
  case send([UInt8])
  /// Restart the board.
  case reset
  /// Rewind the session.
  case back
  /// The trace so far, instead of the state.
  case trace

  /// Parses a request of the page. Nil if it does not concern the session.
  package init?(_ request: PageRequest) throws(PageFailure) {
    switch request.word {
    case "advance":
      guard let microseconds = Int64(request.argument), microseconds >= 0,
        microseconds <= 1_000_000_000
      else { throw PageFailure("expected a number of microseconds after advance") }
      self = .advance(.microseconds(microseconds))
    case "step": self = .step
    case "send": self = .send(request.payload)
    case "reset": self = .reset
    case "back": self = .back
    case "driven": self = .trace
    default: return nil
    }
  }
}
