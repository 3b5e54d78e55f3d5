import AVR
import Turret

/// Turns the chip's visible events into a trace's outputs: pulses, servo widths, tones, bytes.
struct ChipReader: Hashable, Sendable {
  /// What the reader remembers from one event to the next. Unfinished pulses are not included: the
  /// session that saw them begin reports them.
  struct Memory: Hashable, Sendable, Savable {
    /// The last pulse reported, in microseconds; 0 before the first.
    var reported: UInt16 = 0
    /// Whether Timer 1 drives the pin.
    var isDriven = false
    /// The unit of Timer 2 that produces a tone.
    var sounding: OutputCompare.Unit?
    /// The stored half of a width in the servo library's table whose other half is missing.
    var half: Int?
    /// Remarks about the program for the user, once each.
    var remarks: [ChipRemark] = []
  }

  /// A level that lasts this long is not a pulse.
  static let pulseMax = Interval.milliseconds(25)
  /// The pulses of a servo: its frame and its width, in microseconds. PWM for a lamp or a motor
  /// has shorter frames; Arduino's analogWrite has 2 040 us.
  private static let servoFrames = 3_000.0...25_000.0
  private static let servoPulses = 400.0...2_600.0
  private static let cyclesPerMicrosecond = 16.0
  private static let hertz = 16_000_000.0
  private static let serialPins = [Pin(.D, 0), Pin(.D, 1)]

  private struct Held: Hashable {
    var output: Output
    var instant: Instant
  }

  private let pin: Pin
  /// The unit of Timer 1 that can drive the pin; nil if none can.
  private let servoUnit: OutputCompare.Unit?
  private var table: ServoTable?
  var showsPulses: Bool
  /// Bytes read by code from this address on are the bootloader's; nil if there is none.
  private let bootSection: UInt16?
  private let clock: ChipClock

  private var memory = Memory()
  /// The rising edge of the unfinished pulse, in cycles, and the later outputs that wait for its
  /// end.
  private var rise: UInt64?
  private var held: [Held] = []
  /// The pin that has toggled while a tone sounded; nil before the first.
  private var buzzer: Pin?

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

  /// Whether the sketch's stores of a width can be observed so far.
  var seesServo: Bool { memory.isDriven || table != nil }
  var remarks: [ChipRemark] { memory.remarks }

  /// The present memory.
  var present: Memory {
    var memory = memory
    memory.half = table?.half
    return memory
  }

  /// Restores the memory, on the chip in its present state.
  mutating func resume(_ memory: Memory, on chip: ATmega328P) {
    self.memory = memory
    guard let addresses = table?.addresses else { return }
    table?.resume(addresses.map { chip[data: $0] ?? 0 }, half: memory.half)
  }

  mutating func read(_ seen: TimedChipEvent, into recorder: inout Recorder) {
    // When a pulse is given up must not depend on how often the chip is looked at.
    giveUpPulse(at: seen.cycle, &recorder)
    switch seen.event {
    case .pin(let pin, let isHigh):
      if recorder.watchesWires { drive(pin, isHigh, at: seen.cycle, &recorder) }
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
    case .channel(let channel, let address, let microseconds, let frame):
      guard Self.servoFrames.contains(Double(frame)),
        Self.servoPulses.contains(Double(microseconds)),
        let pin = BoardPin(driver: address, channel: channel)
      else { break }
      let inRange = min(
        max(microseconds, ServoLibrary.minimumPulse), ServoLibrary.maximumPulse)
      put(
        .servo(
          degrees: ServoLibrary.degrees(reading: inRange), microseconds: microseconds, on: pin),
        at: seen.cycle, &recorder)
    case .reset(let cause): restart(cause, at: seen.cycle, &recorder)
    case .stuck(let address, let isAsleep):
      remark(.stuck(at: address, isAsleep: isAsleep), at: seen.cycle)
    case .notice(let notice): remark(.notEmulated(notice), at: seen.cycle)
    }
  }

  /// Releases the outputs that wait for the end of a pulse that has lasted too long.
  mutating func giveUpPulse(at cycle: UInt64, _ recorder: inout Recorder) {
    guard let rise, clock.instant(of: cycle) - clock.instant(of: rise) >= Self.pulseMax else {
      return
    }
    self.rise = nil
    release(&recorder)
  }

  /// Records a pin's level if it is the servo's or the buzzer's.
  private mutating func drive(
    _ pin: Pin, _ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    if pin == self.pin {
      recorder.drive(.servo, isHigh, at: clock.instant(of: cycle))
    } else if pin == buzzer || memory.sounding != nil && !Self.serialPins.contains(pin) {
      buzzer = pin
      recorder.drive(.tone, isHigh, at: clock.instant(of: cycle))
    }
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
      let hasFrames =
        waveform.periodCycles.map {
          Self.servoFrames.contains(Double($0) / Self.cyclesPerMicrosecond)
        } ?? false
      // Starting to drive the pin is not a new width.
      if memory.isDriven, hasFrames, let cycles = waveform.pulseCycles {
        let pulse = (Double(cycles) / Self.cyclesPerMicrosecond).rounded()
        if Self.servoPulses.contains(pulse) { store(UInt16(pulse), at: cycle, &recorder) }
      }
      memory.isDriven = hasFrames
    case .OC2A, .OC2B:
      if let cycles = waveform.matchCycles, cycles > 0 {
        memory.sounding = waveform.unit
        let frequency = Self.hertz / (2 * Double(cycles))
        // Hundredths are precise enough; Timer 2 is no finer.
        put(.tone(hertz: (frequency * 100).rounded() / 100), at: cycle, &recorder)
      } else if memory.sounding == waveform.unit {
        memory.sounding = nil
        put(.tone(hertz: 0), at: cycle, &recorder)
      }
    default: break
    }
  }

  /// Records a stored width. Only a change is an event.
  private mutating func store(_ pulse: UInt16, at cycle: UInt64, _ recorder: inout Recorder) {
    guard pulse != memory.reported else { return }
    memory.reported = pulse
    let inRange = min(max(pulse, ServoLibrary.minimumPulse), ServoLibrary.maximumPulse)
    let degrees = ServoLibrary.degrees(reading: inRange)
    put(.servo(degrees: degrees, microseconds: pulse), at: cycle, &recorder)
  }

  private mutating func restart(
    _ cause: ResetCause, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    rise = nil
    release(&recorder)
    // The chip stops in the middle of a byte, and its pin is pulled up.
    recorder.drive(.tx, true, at: clock.instant(of: cycle))
    if memory.sounding != nil { put(.tone(hertz: 0), at: cycle, &recorder) }
    memory.sounding = nil
    memory.isDriven = false
    memory.reported = 0
    recorder.clearedRing()
    if cause == .watchdog { remark(.watchdog, at: cycle) }
  }

  private mutating func remark(_ kind: ChipRemark.Kind, at cycle: UInt64) {
    guard !memory.remarks.contains(where: { $0.kind == kind }) else { return }
    memory.remarks.append(ChipRemark(kind: kind, instant: clock.instant(of: cycle)))
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
