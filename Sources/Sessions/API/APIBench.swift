import Traces
import Turret

/// A bench that carries out a client's requests.
protocol APIBench: AnyObject {
  /// What the bench reports about itself now.
  var apiMoment: APIMoment { get }
  /// Gives the device an input, at an instant or now. Returns its time in the session.
  func take(_ kind: Event.Kind, at instant: Instant?) -> Instant
  /// Reports the levels of these pins from now on.
  func watch(_ pins: Set<BoardPin>)
  /// Lets virtual time pass up to an instant. Does nothing in a session in real time.
  func run(until end: Instant)
  /// Ends the session soon.
  func requestEnd()
}
