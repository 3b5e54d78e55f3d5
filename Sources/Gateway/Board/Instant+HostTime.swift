import Turret

extension Instant {
  /// The same moment as a time of the computer's clock, for code that is independent of that clock.
  init(_ time: HostTime) { self.init(nanoseconds: time.nanoseconds) }
}
