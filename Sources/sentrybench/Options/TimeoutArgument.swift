import ArgumentParser
import Turret

/// A limit of time on the command line: a time with a unit, or 0 for no limit.
struct TimeoutArgument: ExpressibleByArgument {
  /// Nil for no limit.
  var interval: Interval?

  init?(argument: String) {
    if argument == "0" { return }
    guard let time = TimeArgument(argument: argument) else { return nil }
    interval = time.interval > .zero ? time.interval : nil
  }
}
