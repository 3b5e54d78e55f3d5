import Traces
import Turret

/// The angles that were commanded in the last minute, for a dashboard that has just connected.
struct ServoHistory {
  private static let length = Interval.seconds(60)
  /// Of angles that follow one another faster than this, only the last is shown.
  private static let step = Interval.milliseconds(100)
  private static let countMax = 2_048

  private struct Entry {
    var time: Instant
    var degrees: UInt8
    /// Nil for the session's own servo.
    var pin: BoardPin?
  }

  private var entries: [Entry] = []

  mutating func take(_ event: Event) {
    guard case .output(.servo(let degrees, _, let pin)) = event.kind else { return }
    if let last = entries.lastIndex(where: { $0.pin == pin }),
      event.time - entries[last].time < Self.step
    {
      entries[last].degrees = degrees
      return
    }
    if entries.count == Self.countMax { entries.removeFirst(Self.countMax / 4) }
    entries.append(Entry(time: event.time, degrees: degrees, pin: pin))
  }

  /// Rewinds to a moment.
  mutating func goBack(to time: Instant) { entries.removeAll { $0.time > time } }

  /// Returns each angle as `[seconds, degrees, pin]`, in order of time. A servo's first angle can
  /// be older than a minute: it is the angle that was commanded when that minute began.
  ///
  /// - Parameter ownPin: the pin of the session's own servo; nil if it has no name.
  func json(at now: Instant, ownPin: BoardPin?) -> JSONValue {
    let start = now - Self.length
    var first: [BoardPin?: Int] = [:]
    for (index, entry) in entries.enumerated() where entry.time < start {
      first[entry.pin] = index
    }
    let kept = entries.enumerated().filter { index, entry in
      entry.time >= start || first[entry.pin] == index
    }
    return .array(
      kept.map { _, entry in
        .array([
          .seconds(entry.time),
          .whole(entry.degrees), .text((entry.pin ?? ownPin)?.name),
        ])
      })
  }
}
