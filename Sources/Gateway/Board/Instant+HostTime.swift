import Turret

extension Instant {
  /// The same moment of the computer's clock, for values that know no computer.
  init(_ time: HostTime) { self.init(nanoseconds: time.nanoseconds) }
}
