import Sketches
import Traces

/// How far an emulated board is behind the clock because its program is emulated more slowly than
/// real time, and when that is reported.
struct BoardBacklog: Hashable, Sendable {
  /// How far it fell behind before that is reported. The next report follows when it has doubled.
  private static let reportedFrom = Interval.seconds(1)

  /// How far the board is behind the clock.
  private(set) var behind = Interval.zero
  /// The least since it was last on time: after the process was stopped, a fast board is behind
  /// too, but falls no further.
  private var least: Interval?
  /// The last that was reported; nil if nothing was since the board was on time.
  private var reported: Interval?
  private var report: String?

  /// Notes how far the board is behind at the end of a turn.
  mutating func note(_ behind: Interval) {
    self.behind = behind
    guard behind > .zero else {
      if reported != nil { report = "The emulated board has caught up with real time." }
      least = nil
      reported = nil
      return
    }
    let least = min(least ?? behind, behind)
    self.least = least
    let last = reported ?? .zero
    guard behind - least >= max(Self.reportedFrom, last + last) else { return }
    reported = behind - least
    report =
      "The emulated board is slower than real time: it is \(Self.text(behind)) s behind. What "
      + "senders write reaches it that much later."
  }

  /// Returns a line to report once.
  mutating func takeReport() -> String? {
    defer { report = nil }
    return report
  }

  /// Returns what the end of a session at `end` of its own time must say; nil if there is nothing.
  func finalLine(end: Instant) -> String? {
    guard behind >= Self.reportedFrom else { return nil }
    return "The emulated board was slower than real time: the session ends where it was, at "
      + "\(Self.text(end - .zero)) s, \(Self.text(behind)) s behind the clock."
  }

  /// In seconds, in whole tenths or, if it is less than one, thousandths.
  private static func text(_ interval: Interval) -> String {
    let unit: Int64 = interval < .seconds(1) ? 1_000_000 : 100_000_000
    return String(shortest: .nanoseconds(interval.nanoseconds / unit * unit))
  }
}
