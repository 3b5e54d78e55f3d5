import AVR
import Turret

/// Turns what can be seen of a chip into what a trace says: pulses, servo widths, tones, bytes.
struct ChipReader: Hashable, Sendable {
  /// A level that lasts longer is no pulse for a servo.
  static let pulseMax = Interval.milliseconds(25)
  private static let cyclesPerMicrosecond = 16.0
  private static let hertz = 16_000_000.0

  private struct Held: Hashable {
    var output: Output
    var instant: Instant
  }

  private let pin: Pin
  /// The unit of Timer 1 that drives the pin; nil: none does.
  private let servoUnit: OutputCompare.Unit?
  private var table: ServoTable?
  private let showsPulses: Bool
  /// Bytes that are read from here on are the bootloader's; nil: there is none.
  private let bootSection: UInt16?
  private let clock: ChipClock

  /// The pulse last put out, microseconds; 0 before the first.
  private var reported: UInt16 = 0
  /// Whether Timer 1 drives the pin.
  private var isDriven = false
  /// The unit of Timer 2 that makes a tone.
  private var sounding: OutputCompare.Unit?
  /// The rising edge of the pulse that has not ended, in cycles, and what came after it and has to wait.
  private var rise: UInt64?
  private var held: [Held] = []
  /// What people should know about the program, once each.
  private(set) var remarks: [ChipRemark] = []

  init(
    pin: Pin, table: ServoTable?, showsPulses: Bool, bootSection: UInt16?, clock: ChipClock
  ) {
    self.pin = pin
    self.table = table
    self.showsPulses = showsPulses
    self.bootSection = bootSection
    self.clock = clock
    switch (pin.port, pin.bit) {
    case (.B, 1): servoUnit = .OC1A
    case (.B, 2): servoUnit = .OC1B
    default: servoUnit = nil
    }
  }

  /// Whether a sketch's stores of a width can be seen, so far.
  var seesServo: Bool { isDriven || table != nil }

  mutating func read(_ seen: TimedChipEvent, into recorder: inout Recorder) {
    switch seen.event {
    case .pin(let pin, let isHigh):
      if pin == self.pin && showsPulses { edge(isHigh, at: seen.cycle, &recorder) }
    case .transmit(let byte): put(.transmit(byte), at: seen.cycle, &recorder)
    case .overrun(let byte): put(.lost(byte, .uartOverrun), at: seen.cycle, &recorder)
    case .dropped(let byte): put(.lost(byte, .ringFull), at: seen.cycle, &recorder)
    case .received(let byte, let address):
      if let bootSection, address >= bootSection {
        put(.lost(byte, .booting), at: seen.cycle, &recorder)
      }
    case .stored(let value, let address):
      if let pulse = table?.stored(value, at: address) { store(pulse, at: seen.cycle, &recorder) }
    case .waveform(let waveform): take(waveform, at: seen.cycle, &recorder)
    case .reset(let cause): restart(cause, at: seen.cycle, &recorder)
    case .notice(let notice): remark(.notEmulated(notice), at: seen.cycle)
    }
  }

  /// Puts out what waits for the end of a pulse that has not come for too long.
  mutating func giveUpPulse(at cycle: UInt64, _ recorder: inout Recorder) {
    guard let rise, clock.instant(of: cycle) - clock.instant(of: rise) >= Self.pulseMax else {
      return
    }
    self.rise = nil
    release(&recorder)
  }

  private mutating func edge(_ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder) {
    if isHigh {
      rise = cycle
    } else if let rise {
      self.rise = nil
      let width = Double(cycle - rise) / Self.cyclesPerMicrosecond
      recorder.put(.pulse(microseconds: width), at: clock.instant(of: rise))
      release(&recorder)
    }
  }

  private mutating func take(
    _ waveform: OutputCompare, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    switch waveform.unit {
    case servoUnit:
      // To begin to drive the pin is no new width.
      if isDriven, waveform.drivesPin, let cycles = waveform.pulseCycles {
        let pulse = (Double(cycles) / Self.cyclesPerMicrosecond).rounded()
        store(UInt16(min(pulse, 65_535)), at: cycle, &recorder)
      }
      isDriven = waveform.drivesPin && waveform.pulseCycles != nil
    case .OC2A, .OC2B:
      if let cycles = waveform.matchCycles {
        sounding = waveform.unit
        let frequency = Self.hertz / (2 * Double(cycles))
        // Hundredths are enough, and Timer 2 is no finer.
        put(.tone(hertz: (frequency * 100).rounded() / 100), at: cycle, &recorder)
      } else if sounding == waveform.unit {
        sounding = nil
        put(.tone(hertz: 0), at: cycle, &recorder)
      }
    default: break
    }
  }

  /// A width was stored; only a change is an event.
  private mutating func store(_ pulse: UInt16, at cycle: UInt64, _ recorder: inout Recorder) {
    guard pulse != reported else { return }
    reported = pulse
    let inRange = min(max(pulse, ServoLibrary.minimumPulse), ServoLibrary.maximumPulse)
    let degrees = ServoLibrary.degrees(reading: inRange)
    put(.servo(degrees: degrees, microseconds: pulse), at: cycle, &recorder)
  }

  private mutating func restart(
    _ cause: ResetCause, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    rise = nil
    release(&recorder)
    if sounding != nil { put(.tone(hertz: 0), at: cycle, &recorder) }
    sounding = nil
    isDriven = false
    reported = 0
    recorder.clearedRing()
    if cause == .watchdog { remark(.watchdog, at: cycle) }
  }

  private mutating func remark(_ kind: ChipRemark.Kind, at cycle: UInt64) {
    guard !remarks.contains(where: { $0.kind == kind }) else { return }
    remarks.append(ChipRemark(kind: kind, instant: clock.instant(of: cycle)))
  }

  private mutating func put(_ output: Output, at cycle: UInt64, _ recorder: inout Recorder) {
    let instant = clock.instant(of: cycle)
    if rise == nil {
      recorder.put(output, at: instant)
    } else {
      held.append(Held(output: output, instant: instant))
    }
  }

  private mutating func release(_ recorder: inout Recorder) {
    for held in held { recorder.put(held.output, at: held.instant) }
    held.removeAll(keepingCapacity: true)
  }
}
