import Sketches

/// Dates and times of day without a time zone and leap seconds, since the beginning of 1970.
package enum CivilTime {
  /// In nanoseconds.
  package static let second: Int64 = 1_000_000_000
  package static let hour = 3_600 * second
  package static let day = 24 * hour

  /// Returns an instant as in RFC 3339, to the microsecond: `2026-11-21T07:06:22.000123Z`.
  /// `offset`: the local time's from UTC, in seconds.
  package static func rfc3339(microseconds: Int64, offset: Int = 0) -> String {
    var (days, rest) = microseconds.quotientAndRemainder(dividingBy: day / 1_000)
    if rest < 0 {
      days -= 1
      rest += day / 1_000
    }
    let date = civil(days)
    let seconds = rest / 1_000_000
    var text = String(date.year, digits: 4) + "-" + String(date.month, digits: 2)
    text += "-" + String(date.day, digits: 2)
    text += "T" + String(seconds / 3_600, digits: 2) + ":" + String(seconds / 60 % 60, digits: 2)
    text += ":" + String(seconds % 60, digits: 2) + "." + String(rest % 1_000_000, digits: 6)
    guard offset != 0 else { return text + "Z" }
    let minutes = Int64(offset.magnitude / 60)
    text += (offset < 0 ? "-" : "+") + String(minutes / 60, digits: 2)
    return text + ":" + String(minutes % 60, digits: 2)
  }

  /// Returns the days since 1970-01-01, for a year from -399 on. Counts years from March, so that
  /// the leap day comes last, and from the year -400, so that the divisions round down.
  package static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = (month <= 2 ? year - 1 : year) + 400
    let month = month <= 2 ? month + 9 : month - 3
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 865_566
  }

  /// Returns the year of a day since 1970-01-01.
  static func year(ofDay days: Int64) -> Int64 { civil(days).year }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Not later than the year of the date.
    var year: Int64 = 1970 + days / (days < 0 ? 365 : 366) - (days < 0 ? 1 : 0)
    while self.days(year + 1, 1, 1) <= days { year += 1 }
    var month: Int64 = 1
    while month < 12, self.days(year, month + 1, 1) <= days { month += 1 }
    return (year, month, days - self.days(year, month, 1) + 1)
  }
}
