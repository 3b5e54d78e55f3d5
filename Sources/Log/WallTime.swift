import Platform

/// The time of day, for the log. It is never used for measurements.
package struct WallTime: Hashable, Sendable {
  /// Since the beginning of 1970, in UTC, without leap seconds.
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static var now: WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }

  /// In RFC 3339, UTC, with microseconds: `2026-11-21T07:06:22.000123Z`.
  package var text: String {
    let fraction = microseconds % 1_000_000
    let rest = fraction < 0 ? fraction + 1_000_000 : fraction
    var seconds = time_t((microseconds - rest) / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
    return "\(digits(day[0], 4))-\(digits(day[1], 2))-\(digits(day[2], 2))"
      + "T\(time.joined(separator: ":")).\(digits(Int(rest), 6))Z"
  }
}
