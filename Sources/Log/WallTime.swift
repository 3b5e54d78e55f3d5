import Platform

/// The time of day, for people. It is never used for measurements.
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
  package var text: String { "\(dayAndTime).\(Self.digits(Int(fraction), 6))Z" }

  /// In RFC 3339, UTC, to the second: `2026-11-21T07:06:22Z`.
  package var textInSeconds: String { "\(dayAndTime)Z" }

  /// Microseconds after the whole second.
  private var fraction: Int64 {
    let rest = microseconds % 1_000_000
    return rest < 0 ? rest + 1_000_000 : rest
  }

  private var dayAndTime: String {
    var seconds = time_t((microseconds - fraction) / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let day = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.digits(Int($0), 2) }
    return "\(Self.digits(day[0], 4))-\(Self.digits(day[1], 2))-\(Self.digits(day[2], 2))"
      + "T\(time.joined(separator: ":"))"
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
