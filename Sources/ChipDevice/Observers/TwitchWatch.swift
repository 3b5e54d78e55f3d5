import AVR
import Sketches
import Traces

/// Compares the pulses that Arduino's servo library makes with the widths that the sketch stored.
///
/// The library reads the width as a pulse begins. Something else can move an edge: an interrupt
/// that takes long, or a program that writes back the whole port while the library changes it.
struct TwitchWatch: Hashable, Sendable, Codable {
  struct Train: Hashable, Sendable, Codable {
    /// The Arduino pin.
    let pin: UInt8
    /// The rising edge of the unfinished pulse; nil if there is none, or if something cut it.
    var rise: UInt64?
    /// What was stored at the last rising edge, and at the one before it; 0 before the first. The
    /// first pulse after a store can still have the old width.
    var stored: UInt16 = 0
    var before: UInt16 = 0
    /// The angle of the stored width that the sketch set last; nil before that.
    var angle: UInt8?
    /// How many whole pulses there were.
    var count = 0
    var tally = TwitchTally()
    /// What the sketch had set when the pin twitched first, and whether that has changed.
    var twitched: UInt8?
    var hasMoved = false
    /// The last pulse that was an event.
    var reported: UInt64?
  }

  private var trains: [Train] = []

  /// Notes that the sketch stored the width of an angle.
  mutating func set(_ degrees: UInt8, on pin: Int) { trains[index(of: pin)].angle = degrees }

  /// Notes that a pin became high for which a width in microseconds is stored.
  mutating func begin(on pin: Int, stored: UInt16, at cycle: UInt64) {
    let index = index(of: pin)
    trains[index].before = trains[index].stored
    trains[index].stored = stored
    trains[index].rise = cycle
  }

  /// Ends the unfinished pulse on a pin. Returns the twitch if it is one. Of those that follow each
  /// other sooner than any servo's pulses, only the first is returned.
  mutating func end(
    on pin: Int, stored: UInt16, at cycle: UInt64, _ limits: PulseLimits, _ causes: Causes? = nil
  ) -> Twitch? {
    let index = index(of: pin)
    var train = trains[index]
    guard let rise = train.rise, let name = BoardPin(arduino: pin) else { return nil }
    train.rise = nil
    train.count += 1
    defer { trains[index] = train }
    let width = limits.microseconds(cycle &- rise)
    let isRight = [train.stored, train.before, stored].contains {
      $0 != 0 && abs(width - Double($0)) <= limits.twitch
    }
    guard !isRight else { return nil }
    var twitch = Twitch(
      on: name, stored: train.stored, measured: UInt32(min(width.rounded(), 1e9)))
    twitch.why = causes?.why(twitch, on: pin, at: cycle)
    if train.tally.count == 0 { train.twitched = train.angle }
    if train.angle != train.twitched { train.hasMoved = true }
    train.tally.add(twitch)
    if let last = train.reported, last <= rise, rise - last < limits.periods.lowerBound {
      return nil
    }
    train.reported = rise
    return twitch
  }

  /// Notes that the library did not make the unfinished pulse on a pin.
  mutating func cut(on pin: Int) {
    guard let index = trains.firstIndex(where: { Int($0.pin) == pin }) else { return }
    trains[index].rise = nil
  }

  /// Forgets how many pulses there were, since none of them belongs to the session.
  mutating func forgetCounts() {
    for index in trains.indices {
      (trains[index].count, trains[index].tally) = (0, TwitchTally())
      (trains[index].twitched, trains[index].hasMoved) = (nil, false)
    }
  }

  mutating func restart() {
    for index in trains.indices {
      (trains[index].rise, trains[index].angle) = (nil, nil)
      (trains[index].stored, trains[index].before) = (0, 0)
    }
  }

  /// Returns a sentence about the pulses on a pin that were not as stored, without its full stop.
  func sentence(on pin: BoardPin) -> String {
    guard let train = trains.first(where: { Int($0.pin) == pin.arduino }) else { return "" }
    let state =
      train.hasMoved
      ? "set to several angles"
      : train.twitched.map { "set to \(String(counting: Int($0), "degree"))" }
        ?? "attached at \(train.stored) us"
    return train.tally.sentence(on: pin.name, state, among: train.count)
  }

  private mutating func index(of pin: Int) -> Int {
    if let index = trains.firstIndex(where: { Int($0.pin) == pin }) { return index }
    trains.append(Train(pin: UInt8(truncatingIfNeeded: pin)))
    return trains.endIndex - 1
  }
}
