import ArgumentParser
import Traces
import Turret

/// A length of time on the command line: a decimal with a unit, `200us`, `15ms`, `1.5s`.
///
/// An option uses it with `transform: TimeArgument.init`, so that an error can say what is missing.
struct TimeArgument {
  var interval: Interval

  init(_ argument: String) throws {
    guard let interval = Interval(withUnit: argument) else {
      if Interval(withUnit: argument + "s") != nil {
        throw ValidationError("A time needs a unit: write \(argument)s or \(argument)ms.")
      }
      throw ValidationError("A time is a number with a unit: 200us, 15ms or 1.5s.")
    }
    self.interval = interval
  }
}
