import Devices
import Platform
import Turret

extension Instant {
  /// The present moment of the computer's monotonic clock.
  static var host: Instant { Instant(nanoseconds: HostTime.now.nanoseconds) }
}
