import ArgumentParser
import Traces
import Turret

/// A length of time on the command line: a decimal with a unit, `200us`, `15ms`, `1.5s`.
///
/// An option uses it with `transform: TimeArgument.init`, so that an error can say what is missing.
struct TimeArgument {
  var interval: Interval

  private static let units: [(name: String, perSecond: Int64)] = [
    ("ns", 1_000_000_000), ("us", 1_000_000), ("ms", 1_000), ("s", 1),
  ]

  init(_ argument: String) throws {
    guard let interval = Self.interval(argument) else {
      if Self.interval(argument + "s") != nil {
        throw ValidationError("A time needs a unit: say \(argument)s or \(argument)ms.")
      }
      throw ValidationError("A time is a number with a unit: 200us, 15ms or 1.5s.")
    }
    self.interval = interval
  }

  private static func interval(_ argument: String) -> Interval? {
    // Parsed as seconds, so that no binary fraction is involved, then truncated to the unit.
    guard let unit = units.first(where: { argument.hasSuffix($0.name) }),
      let seconds = Interval(
        decimalSeconds: String(argument.dropLast(unit.name.count)), limit: 9_000_000_000),
      seconds.nanoseconds % unit.perSecond == 0,
      seconds.nanoseconds / unit.perSecond < 1_000_000_000_000_000_000
    else { return nil }
    return Interval(nanoseconds: seconds.nanoseconds / unit.perSecond)
  }
}
