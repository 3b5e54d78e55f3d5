import ArgumentParser
import Turret

/// A limit of time on the command line: a time with a unit, or 0 for no limit.
///
/// An option uses it with `transform: TimeoutArgument.init`, like `TimeArgument`.
struct TimeoutArgument {
  /// Nil for no limit.
  var interval: Interval?

  init(_ argument: String) throws {
    if argument == "0" { return }
    let time = try TimeArgument(argument)
    interval = time.interval > .zero ? time.interval : nil
  }
}
