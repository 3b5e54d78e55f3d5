import ArgumentParser
import Traces
import Turret

/// A length of time on the command line: a decimal with a unit, `200us`, `15ms`, `1.5s`.
struct TimeArgument: ExpressibleByArgument {
  var interval: Interval

  init?(argument: String) {
    guard let interval = Interval(withUnit: argument) else { return nil }
    self.interval = interval
  }
}
