import Traces
import Turret

extension Instant {
  /// The seconds since the start of the session, rounded up to whole microseconds: `2.401 s`.
  package var text: String {
    String(shortest: roundedUpToMicrosecond - Instant.zero) + " s"
  }
}
