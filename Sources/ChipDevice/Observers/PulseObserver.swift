import AVR
import Sketches

/// The pulses on all pins, and the servos that only their pulses show.
struct PulseObserver: ChipObserver {
  /// How long after the first event of a servo on another pin it is decided that there is none on
  /// the session's own pin: sketches attach all servos one after the other.
  private static let attaching = Interval.milliseconds(100)

  private let findsServos: Bool
  /// `attaching` in clock cycles.
  private let attaching: UInt64
  /// The pulses on each Arduino pin.
  private(set) var pulses = Array(repeating: PulseWatch(), count: Findings.pinCount)
  /// The pins with an edge whose meaning is not known yet, or a pulse that is due.
  private var open = PinSet()
  /// The pins that have stopped driving while they were high. Their falling edges follow at the
  /// same cycle.
  private var cut = PinSet()

  init(findsServos: Bool, _ clock: ChipClock) {
    self.findsServos = findsServos
    attaching = clock.cycles(in: Self.attaching)
  }

  var undecided: UInt64? {
    var first: UInt64?
    for pin in open {
      if let cycle = pulses[pin].open { first = min(first ?? cycle, cycle) }
    }
    return first
  }

  mutating func take(
    _ event: ChipEvent, at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder
  ) {
    switch event {
    case .pin(let pin, let isHigh):
      guard let number = pin.arduino else { return }
      if recorder.watchesWires, number == found.servos.own {
        recorder.drive(.servo, isHigh, at: found.clock.instant(of: cycle))
      }
      if !isHigh, found.servos.leftHigh.contains(number) { endLevel(number, at: cycle, &found) }
      edge(number, isHigh, at: cycle, &found)
    case .released(let pin): if let number = pin.arduino { cut.insert(number) }
    case .waveform(let waveform):
      let pin = waveform.unit.arduinoPin
      guard findsServos, found.servos[pin].isDriven else { return }
      // The timer's registers tell the widths from now on.
      pulses[pin].forget()
      note(pin)
    default: break
    }
  }

  /// Takes the end of a level that a servo's end had left high.
  private mutating func endLevel(_ pin: Int, at cycle: UInt64, _ found: inout Findings) {
    found.servos.leftHigh.remove(pin)
    if findsServos {
      pulses[pin].endLevel(at: cycle)
    } else if let name = BoardPin(arduino: pin) {
      found.put(.detached(name, isHigh: false), at: cycle)
    }
  }

  private mutating func edge(
    _ pin: Int, _ isHigh: Bool, at cycle: UInt64, _ found: inout Findings
  ) {
    let isCut = cut.contains(pin)
    cut.remove(pin)
    let isShown =
      found.showsPulses && (pin == found.servos.own || found.servos.all.contains(pin))
    guard findsServos || isShown else { return }
    if isHigh {
      pulses[pin].begin(at: cycle)
    } else if let pulse = pulses[pin].end(at: cycle) {
      take(pulse, on: pin, isShown: isShown, isCut: isCut, &found)
    }
    note(pin)
  }

  /// Takes a finished pulse. `isCut` is whether the pin stopped driving in the middle of it, so
  /// that its width is none that the program commanded.
  private mutating func take(
    _ pulse: PulseWatch.Pulse, on pin: Int, isShown: Bool, isCut: Bool, _ found: inout Findings
  ) {
    let limits = found.limits
    var new: [PulseWatch.Pulse] = []
    var shown = isShown ? [pulse] : []
    var start: PulseWatch.Pulse?
    if findsServos, !isCut, !found.servos[pin].isDriven {
      let train = pulses[pin].train
      let wasServo = pulses[pin].isServo
      let wasRunning = pulses[pin].running != nil
      new = pulses[pin].follow(pulse, limits)
      if let end = pulses[pin].takeEnd() {
        self.end(end, on: pin, &found)
        // By now it is low.
        found.servos.leftHigh.remove(pin)
      }
      if pulses[pin].running != nil, !wasRunning {
        start = wasServo ? pulse : train.first
        found.servos.leftHigh.remove(pin)
        found.servos.found.insert(pin)
        found.remark(.hidesServo, at: pulse.rise)
        // A library's constructor stores this width. Whether the sketch did is not known.
        if !wasServo, let first = new.first, limits.isInitial(first.width) { new.removeFirst() }
      }
      if pulses[pin].isServo, !wasServo {
        if found.showsPulses, !isShown { shown = train + [pulse] }
        if let first = train.first { found.findServo(on: pin, since: first.rise) }
      }
    }
    let name = found.servos.name(of: pin)
    for pulse in shown {
      found.insert(.pulse(microseconds: limits.microseconds(pulse.width), on: name), at: pulse.rise)
    }
    for pulse in new {
      let width = UInt16(limits.microseconds(pulse.width).rounded())
      found.insert(found.servo(width, found.range, on: pin), at: pulse.rise)
      found.remark(.assumesRange, at: pulse.rise)
      if pin != found.servos.own, found.servos.firstOther == nil {
        found.servos.firstOther = pulse.rise
      }
    }
    if let start, let name = BoardPin(arduino: pin) {
      let width = UInt16(limits.microseconds(start.width).rounded())
      found.insert(.attached(microseconds: width, on: name), at: start.rise)
    }
  }

  /// Reports the end of pulses that were found by their edges.
  private mutating func end(_ end: PulseWatch.End, on pin: Int, _ found: inout Findings) {
    if let output = found.detach(pin, isHigh: end.isHigh, at: end.cycle) {
      found.insert(output, at: end.cycle)
    }
  }

  private mutating func note(_ pin: Int) { open.set(pin, pulses[pin].open != nil) }

  mutating func settle(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    for pin in open {
      if let end = pulses[pin].giveUp(at: cycle, found.limits) { self.end(end, on: pin, &found) }
      note(pin)
    }
    if let first = found.servos.firstOther, cycle >= first, cycle - first >= attaching {
      remarkOnPin(at: first, &found)
    }
  }

  /// Remarks that the only servo is on a pin other than the session's own.
  private func remarkOnPin(at cycle: UInt64, _ found: inout Findings) {
    // The check is made only once.
    found.servos.firstOther = .max
    let own = found.servos.own
    guard found.servos[own].reported == 0, !found.servos.all.contains(own) else { return }
    let told = found.servos.others.filter { $0.reported != 0 }.map { Int($0.pin) }
    let pins = Set(told + pulses.indices.filter { pulses[$0].isServo })
    if pins.count == 1, let pin = pins.first, let name = BoardPin(arduino: pin)?.name {
      found.remark(.servoElsewhere(name), at: cycle)
    }
  }

  /// Continues with pulses that were read from a file. Returns false if they are not of all pins.
  mutating func resume(_ saved: [PulseWatch]) -> Bool {
    guard saved.count == pulses.count else { return false }
    pulses = saved
    for pin in pulses.indices { note(pin) }
    return true
  }

  mutating func restart(at cycle: UInt64, _ found: inout Findings, _ recorder: inout Recorder) {
    for pin in pulses.indices where pulses[pin].running != nil {
      if let name = BoardPin(arduino: pin) {
        found.insert(.detached(name, isHigh: false), at: cycle)
      }
    }
    pulses = Array(repeating: PulseWatch(), count: Findings.pinCount)
    (open, cut) = (PinSet(), PinSet())
  }
}
