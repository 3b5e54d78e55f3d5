import ArgumentParser
import Traces
import Turret

/// A length of time on the command line: a decimal with a unit, `200us`, `15ms`, `1.5s`.
struct TimeArgument: ExpressibleByArgument {
  var interval: Interval

  init?(argument: String) {
    let units: [(name: String, perSecond: Int64)] = [
      ("ns", 1_000_000_000), ("us", 1_000_000), ("ms", 1_000), ("s", 1),
    ]
    // Parsed as seconds, so that no binary fraction is involved, then truncated to the unit.
    guard let unit = units.first(where: { argument.hasSuffix($0.name) }),
      let seconds = Interval(
        decimalSeconds: String(argument.dropLast(unit.name.count)), limit: 9_000_000_000),
      seconds.nanoseconds % unit.perSecond == 0,
      seconds.nanoseconds / unit.perSecond < 1_000_000_000_000_000_000
    else { return nil }
    interval = Interval(nanoseconds: seconds.nanoseconds / unit.perSecond)
  }

}
