import Sketches
import Traces

/// The clock that stamped a log, without the jumps of a wall clock.
struct LogClock {
  /// How far from a whole hour the end of summer time can show, since the log may be silent then.
  private static let changeMax = 600 * CivilTime.second
  /// The same for the beginning of summer time, which looks like a silence of an hour.
  private static let forwardChangeMax = 60 * CivilTime.second

  private let clock: LogFormat.Clock
  private let slack: Int64
  private var offset: Int64 = 0
  private var last: Int64?
  /// The jumps that were removed, for the user; at most four.
  private(set) var notes: [String] = []
  /// How many records have a stamp before that of the preceding one, by at most the slack.
  private(set) var steps = 0

  init(_ format: LogFormat) {
    clock = format.clock
    slack = format.slack
  }

  /// Returns a record's time on a clock without jumps.
  mutating func time(of stamp: Int64, _ record: LogRecord) throws(CaptureError) -> Int64 {
    guard let last else {
      self.last = stamp
      return stamp
    }
    let clock = record.clock ?? clock
    var time = stamp + offset
    if time < last {
      time = try stepBack(to: time, from: last, on: clock, at: record.place)
    } else if isChangeForward(from: last, to: time, on: clock) {
      offset -= CivilTime.hour
      time -= CivilTime.hour
      note("The clock was put forward an hour", at: record.place)
    }
    self.last = time
    return time
  }

  private mutating func stepBack(
    to time: Int64, from last: Int64, on clock: LogFormat.Clock, at place: CaptureError.Place
  ) throws(CaptureError) -> Int64 {
    if last - time <= slack {
      steps += 1
      return last
    }
    var step: Int64 = 0
    switch clock {
    case .absolute: break
    case .wrapping(let period):
      if last - time > period / 2 { step = period }
    case .timeOfDay:
      if last - time > CivilTime.day / 2 {
        step = CivilTime.day
      } else if isChangeBack(from: last, to: time) {
        step = CivilTime.hour
      }
    case .local:
      if isChangeBack(from: last, to: time) { step = CivilTime.hour }
    }
    guard step > 0, time + step >= last else {
      throw CaptureError(
        at: place,
        "expected a time at or after the one before it, found one that is "
          + "\(String(shortest: Interval(nanoseconds: last - time))) s earlier: the clock was set "
          + "back. Convert the parts before and after this place as separate files")
    }
    guard offset < 1 << 60 else {
      throw CaptureError(at: place, "expected a log of less than 36 years")
    }
    offset += step
    if step == CivilTime.hour { note("The clock was put back an hour", at: place) }
    return time + step
  }

  /// Whether a step back is the end of summer time.
  private func isChangeBack(from last: Int64, to time: Int64) -> Bool {
    let inHour = last - offset
    return last - time <= CivilTime.hour
      && last - time >= CivilTime.hour - Self.changeMax
      && inHour % CivilTime.hour >= CivilTime.hour - Self.changeMax
      && (time - offset) % CivilTime.hour <= Self.changeMax
  }

  /// Whether a step forward is the beginning of summer time: an hour is missing in the night, and
  /// the records before and after it are close to a whole hour.
  private func isChangeForward(
    from last: Int64, to time: Int64, on clock: LogFormat.Clock
  ) -> Bool {
    guard clock == .local || clock == .timeOfDay, time - last >= CivilTime.hour,
      time - last <= CivilTime.hour + Self.forwardChangeMax
    else { return false }
    let shown = last - offset
    return shown % CivilTime.day < 4 * CivilTime.hour
      && shown % CivilTime.hour >= CivilTime.hour - Self.forwardChangeMax
      && (time - offset) % CivilTime.hour <= Self.forwardChangeMax
  }

  private mutating func note(_ text: String, at place: CaptureError.Place) {
    guard notes.count < 4 else { return }
    if case .line(let line, _) = place {
      notes.append(text + " at line \(line), as for summer time; the times were adjusted.")
    } else {
      notes.append(text + ", as for summer time; the times were adjusted.")
    }
  }
}
