import AVR
import Sketches

/// Servos whose pulses a timer makes by itself: their widths are in its registers.
struct TimerObserver: ChipObserver {
  struct Start: Hashable, Sendable, Codable {
    /// The Arduino pin.
    let pin: UInt8
    /// The width of its pulses, in microseconds.
    let pulse: UInt16
  }

  /// The pins whose timer has not begun its first pulse, and no event has told its width.
  var starting: [Start] = []
  /// Half periods that can be heard.
  private let audible: ClosedRange<UInt32>

  init(_ limits: ToneLimits) { audible = limits.halfPeriods }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    switch event {
    case .waveform(let waveform): take(waveform, at: cycle, &found)
    case .pin(let pin, true):
      guard let start = starting.first(where: { Int($0.pin) == pin.arduino }),
        let name = BoardPin(arduino: Int(start.pin))
      else { return }
      hasStarted(Int(start.pin))
      found.servos.timed.insert(Int(start.pin))
      found.put(.attached(microseconds: start.pulse, on: name), at: cycle)
    default: break
    }
  }

  private mutating func take(
    _ waveform: OutputCompare, at cycle: UInt64, _ found: inout Findings
  ) {
    let hasPeriod =
      waveform.periodCycles.map { found.limits.periods.contains(UInt64($0)) } ?? false
    let pin = waveform.unit.arduinoPin
    let isDriven = found.servos[pin].isDriven
    if pin == found.servos.own, !found.watched.contains(pin), let half = waveform.halfPeriod,
      half < audible.lowerBound
    {
      found.remark(.tooFast(hertz: found.rate.hertz / (2 * half)), at: cycle)
    }
    // Starting to drive the pin is not a new width.
    if hasPeriod, let cycles = waveform.pulseCycles {
      let pulse = found.limits.microseconds(UInt64(cycles)).rounded()
      // What was to begin has another width, or is no servo's pulse any more.
      hasStarted(pin)
      if PulseLimits.widths.contains(UInt64(pulse)) {
        if isDriven, found.store(UInt16(pulse), found.range, on: pin, at: cycle) {
          found.servos.timed.insert(pin)
        } else if !found.servos.timed.contains(pin) {
          starting.append(Start(pin: UInt8(truncatingIfNeeded: pin), pulse: UInt16(pulse)))
        }
      }
    }
    if isDriven, !hasPeriod { stop(pin, at: cycle, &found) }
    if hasPeriod != isDriven { found.servos.setDriven(pin, hasPeriod) }
  }

  /// Notes that an event has told that a timer drives a pin.
  private mutating func hasStarted(_ pin: Int) { starting.removeAll { Int($0.pin) == pin } }

  /// Reports that a timer no longer drives a servo's pin, unless no event has told that its pulses
  /// have begun.
  private mutating func stop(_ pin: Int, at cycle: UInt64, _ found: inout Findings) {
    hasStarted(pin)
    guard found.servos.timed.contains(pin),
      let output = found.detach(pin, isHigh: found.highPins.contains(pin), at: cycle)
    else { return }
    found.servos.timed.remove(pin)
    found.put(output, at: cycle)
  }

  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    starting = []
  }
}
