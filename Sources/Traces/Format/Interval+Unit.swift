package import Turret

extension Interval {
  /// Parses a length of time with its unit: `200us`, `15ms`, `1.5s`. Nil for anything else.
  package init?(withUnit text: String) {
    let units: [(name: String, perSecond: Int64)] = [
      ("ns", 1_000_000_000), ("us", 1_000_000), ("ms", 1_000), ("s", 1),
    ]
    // Parsed as seconds, so that no binary fraction is involved, then truncated to the unit.
    guard let unit = units.first(where: { text.hasSuffix($0.name) }),
      let seconds = Interval(
        decimalSeconds: String(text.dropLast(unit.name.count)), limit: 9_000_000_000),
      seconds.nanoseconds % unit.perSecond == 0,
      seconds.nanoseconds / unit.perSecond < 1_000_000_000_000_000_000
    else { return nil }
    self = Interval(nanoseconds: seconds.nanoseconds / unit.perSecond)
  }
}
