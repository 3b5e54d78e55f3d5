import AVR
import Sketches

/// Tones: pins that toggle at a steady, audible rate.
///
/// A timer can toggle a pin by itself, or interrupt the program, which then does it, as Arduino's
/// `tone` does. In the first case a tone begins once the timer toggles a pin that is an output; in
/// the second once three edges of a pin are as far apart as the timer's matches. It ends when the
/// timer is set to something else, or when an edge is missing.
///
/// What a program toggles without a timer is no tone here, because the levels of a buzzer and those
/// of a stepper motor's driver or of a serial line cannot be told apart. Neither is PWM, whose
/// levels are of different lengths.
struct ToneWatch: Hashable, Sendable, Codable {
  /// A tone, or the end of one if it has no cycles from edge to edge.
  struct Change: Hashable {
    var cycle: UInt64
    var halfPeriod: UInt32?
    /// The edges that have shown the tone and are not reported yet, and the level after the last.
    var edges: [UInt64] = []
    var isHigh = false
  }

  /// A compare unit whose matches toggle a pin, or interrupt the program so that it can.
  struct Beat: Hashable, Sendable, Codable {
    var unit: OutputCompare.Unit
    /// Clock cycles from match to match.
    var cycles: UInt32
    /// When it was set up.
    var since: UInt64
    /// Whether the timer itself toggles an output.
    var toggles: Bool
    /// Whether edges can still show that the tone began when it was set up.
    var isNew: Bool
  }

  /// Edges of a pin that may be a tone: the first, the last, and how many.
  struct Run: Hashable, Sendable, Codable {
    var pin: UInt8
    var first: UInt64
    var last: UInt64
    var count = 1
  }

  struct Sound: Hashable, Sendable, Codable {
    var unit: OutputCompare.Unit
    /// The Arduino pin that toggles.
    var pin: UInt8
    /// Clock cycles from edge to edge.
    var cycles: UInt32
    var since: UInt64
    /// The last edge; nil before the first.
    var last: UInt64?
  }

  /// How many edges show a tone that an interrupt makes.
  private static let enough = 3
  /// The first match comes within a whole round of a timer of 8 bits with its largest divisor.
  private static let firstMatchMax: UInt64 = 256 * 1_024
  private static let pinCount = 20

  private(set) var beats: [Beat] = []
  private(set) var runs: [Run] = []
  private(set) var sound: Sound?

  /// Whether nothing that happens on a pin matters.
  var isIdle: Bool { beats.isEmpty && sound == nil }

  /// The first cycle at which a tone may have begun that is not known yet; nil if there is none.
  var undecided: UInt64? {
    var first: UInt64?
    for beat in beats where beat.isNew { first = min(first ?? beat.since, beat.since) }
    for run in runs { first = min(first ?? run.first, run.first) }
    return first
  }

  // MARK: Timers

  /// Takes a compare unit's new waveform. `byInterrupt` is whether tones that an interrupt makes
  /// are found.
  mutating func take(
    _ waveform: OutputCompare, byInterrupt: Bool, at cycle: UInt64, _ limits: ToneLimits
  ) -> Change? {
    let unit = waveform.unit
    let matches = waveform.matchCycles.flatMap { limits.halfPeriods.contains($0) ? $0 : nil }
    let toggles = waveform.togglesOutput
    guard let cycles = matches, toggles || byInterrupt && !waveform.drivesPin else {
      beats.removeAll { $0.unit == unit }
      if beats.isEmpty { runs = [] }
      return sound?.unit == unit ? end(at: cycle) : nil
    }
    let old = beats.first { $0.unit == unit }
    beats.removeAll { $0.unit == unit }
    let isSame = old?.cycles == cycles && old?.toggles == toggles
    beats.append(
      Beat(
        unit: unit, cycles: cycles, since: isSame ? old?.since ?? cycle : cycle, toggles: toggles,
        isNew: isSame ? old?.isNew ?? false : !toggles))
    guard toggles else { return nil }
    // A tone that is set up again starts again if its pin has toggled.
    if let sound, sound.unit == unit, sound.cycles == cycles, sound.last == nil { return nil }
    return begin(unit, on: UInt8(unit.arduinoPin), cycles, at: cycle)
  }

  private mutating func begin(
    _ unit: OutputCompare.Unit, on pin: UInt8, _ cycles: UInt32, at cycle: UInt64
  ) -> Change {
    sound = Sound(unit: unit, pin: pin, cycles: cycles, since: cycle)
    return Change(cycle: cycle, halfPeriod: cycles)
  }

  private mutating func end(at cycle: UInt64) -> Change {
    sound = nil
    return Change(cycle: cycle)
  }

  // MARK: Edges

  /// Takes an edge of an Arduino pin. Returns the tone that it shows.
  mutating func edge(
    of pin: UInt8, isHigh: Bool, at cycle: UInt64, _ limits: ToneLimits
  ) -> Change? {
    if let now = sound, now.pin == pin {
      sound?.last = cycle
      // The timer may have been set to another tone, whose edges show it.
      guard beats.contains(where: { $0.unit == now.unit && $0.cycles != now.cycles }) else {
        return nil
      }
    } else if let beat = beats.first(where: {
      $0.toggles && UInt8($0.unit.arduinoPin) == pin && $0.unit != sound?.unit
    }) {
      // It was set up before, but its pin did not toggle.
      var change = begin(beat.unit, on: pin, beat.cycles, at: cycle)
      sound?.last = cycle
      change.edges = [cycle]
      change.isHigh = isHigh
      return change
    }
    return follow(pin, isHigh, at: cycle, limits)
  }

  /// Takes an edge that an interrupt may have caused.
  private mutating func follow(
    _ pin: UInt8, _ isHigh: Bool, at cycle: UInt64, _ limits: ToneLimits
  ) -> Change? {
    // Several pins that toggle together make one tone.
    let waiting = beats.filter {
      !$0.toggles && !($0.unit == sound?.unit && $0.cycles == sound?.cycles)
    }
    guard !waiting.isEmpty else { return nil }
    let index = runs.firstIndex { $0.pin == pin } ?? runs.endIndex
    if index == runs.endIndex {
      runs.append(Run(pin: pin, first: cycle, last: cycle))
      return nil
    }
    let length = cycle &- runs[index].last
    guard let beat = waiting.first(where: { limits.isSteady(length, $0.cycles) }) else {
      runs[index] = Run(pin: pin, first: cycle, last: cycle)
      return nil
    }
    runs[index].count += 1
    let middle = runs[index].last
    runs[index].last = cycle
    guard runs[index].count == Self.enough else { return nil }
    let first = runs[index].first
    guard limits.isSteady(middle &- first, beat.cycles) else {
      runs[index] = Run(pin: pin, first: middle, last: cycle, count: 2)
      return nil
    }
    let isFirst = beat.isNew && first &- beat.since <= latest(beat)
    var change = begin(
      beat.unit, on: pin, beat.cycles, at: isFirst ? min(beat.since, first) : first)
    sound?.last = cycle
    change.edges = [first, middle, cycle]
    change.isHigh = isHigh
    runs = []
    if let old = beats.firstIndex(of: beat) { beats[old].isNew = false }
    return change
  }

  /// How long after it was set up a beat's first edge can come.
  private func latest(_ beat: Beat) -> UInt64 {
    min(8 * UInt64(beat.cycles), Self.firstMatchMax) + UInt64(beat.cycles) / 2
  }

  // MARK: Time

  /// Gives up, at this cycle, what can no longer become a tone, and ends one of which an edge is
  /// missing.
  mutating func settle(at cycle: UInt64, _ limits: ToneLimits) -> Change? {
    if !beats.isEmpty {
      let longest = beats.reduce(0) { max($0, $1.cycles) }
      let wait = UInt64(longest) + limits.slack(longest)
      runs.removeAll { cycle &- $0.last > wait }
      for index in beats.indices where beats[index].isNew {
        let beat = beats[index]
        if cycle &- beat.since > latest(beat) + 2
          * (UInt64(beat.cycles) + limits.slack(beat.cycles))
        {
          beats[index].isNew = false
        }
      }
    }
    guard let sound, sound.cycles > 0 else { return nil }
    let limit =
      if let last = sound.last {
        last &+ (UInt64(sound.cycles) + UInt64(sound.cycles) / 2 + limits.slack(sound.cycles))
      } else {
        sound.since &+ (Self.firstMatchMax + UInt64(sound.cycles))
      }
    return cycle > limit ? end(at: limit) : nil
  }
}

/// The limits of tones, in cycles of a chip's clock.
struct ToneLimits: Hashable, Sendable {
  /// 31 Hz, the lowest that Arduino's `tone` can make, to 20 kHz.
  let halfPeriods: ClosedRange<UInt32>
  /// Other interrupts can delay an edge by up to this much.
  private let jitter: UInt64

  init(_ rate: ClockRate) {
    halfPeriods = rate.hertz / 40_000...rate.hertz / 61
    jitter = rate.cycles(inMicroseconds: 20)
  }

  func slack(_ cycles: UInt32) -> UInt64 {
    min(UInt64(cycles) / 50 + jitter, UInt64(cycles) / 3)
  }

  /// Whether two edges are as far apart as matches are.
  func isSteady(_ length: UInt64, _ cycles: UInt32) -> Bool {
    let slack = slack(cycles)
    return length &+ slack >= UInt64(cycles) && length <= UInt64(cycles) + slack
  }
}
