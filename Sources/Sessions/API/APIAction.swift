import Traces
import Turret

/// What a session's bench does for its client.
enum APIAction: Hashable, Sendable {
  /// Write a message to the client.
  case write(APIMessage)
  /// Give the device an input, at an instant or now, and answer the request with its time.
  case input(Event.Kind, at: Instant?, for: APIRequest.ID?)
  /// Report the levels of these pins from now on.
  case watch(Set<BoardPin>)
  /// Let virtual time pass, and answer the request.
  case run(until: Instant, for: APIRequest.ID)
  /// End the session.
  case end
}
