import AVR
import Sketches

/// Turns the chip's visible events into a trace's outputs: pulses, servo widths, tones, bytes.
struct ChipReader: Hashable, Sendable {
  /// A receive ring. The program writes to its tail when it takes a byte. It writes the tail to the
  /// head when it empties the ring, as `Serial.end()` does; a byte that is put into the ring never
  /// makes them equal.
  struct Ring: Hashable, Sendable {
    var addresses: SerialRing
    var tail: UInt8

    init(_ addresses: SerialRing, tail: UInt8) {
      self.addresses = addresses
      self.tail = tail
    }
  }

  /// How long after the first event of a servo on another pin it is decided that there is none on
  /// the session's own pin: sketches attach all servos one after the other.
  private static let attaching = Interval.milliseconds(100)
  /// How many addresses without a device are named.
  private static let silentMax = 4
  private static let serialPins = [Pin(.D, 0), Pin(.D, 1)]
  private static let pinCount = 20

  /// The Arduino pin of the session's own servo.
  private let own: Int
  private var table: ServoTable?
  private let findsServosByPulses: Bool
  var showsPulses: Bool
  /// What is wired to the chip.
  private let parts: ChipWiring
  /// The channels of drivers, and those whose levels are reported.
  private var channels = ChannelWatch()
  private var watchedChannels: Set<BoardPin> = []
  /// Bytes read by code from this address on are the bootloader's; nil if there is none.
  private let bootSection: UInt16?
  private let clock: ChipClock
  private let rate: ClockRate
  private let limits: PulseLimits
  private let toneLimits: ToneLimits
  /// Whether tones that an interrupt makes are found.
  private let findsTonesByInterrupt: Bool
  /// The pin whose levels are read as bytes; nil if there is none.
  private var transmitPin: Pin?
  /// A receiver for each pin, while it is not known on which the program sends by software; empty
  /// if that is known.
  private var candidates: [PinReceiver]
  private let findsSender: Bool
  /// The pins on which a byte is being received, a bit for each.
  private var receiving: UInt32 = 0
  /// Whether the bytes that USART0 sends are on another line than the host's.
  private let hidesUSART: Bool
  /// The length of a bit on `transmitPin`, in 256ths of a clock cycle.
  private var bitCycles: UInt64 = 256
  /// `attaching` in clock cycles.
  private let attaching: UInt64
  /// The range of servos whose own range is not known, and whether it is that of all servos.
  private let range: ServoRange
  private let isRangeStated: Bool

  private var memory = Memory()
  /// The pulses on each Arduino pin.
  private var pulses = Array(repeating: PulseWatch(), count: pinCount)
  /// The pins with an edge whose meaning is not known yet, or a pulse that is due, a bit for each.
  private var undecided: UInt32 = 0
  /// The pins of servos found by their pulses or by a timer's registers.
  private var servos: UInt32 = 0
  /// The pins that have stopped driving while they were high, a bit for each. Their falling edges
  /// follow at the same cycle.
  private var cut: UInt32 = 0
  /// Later outputs that wait until undecided edges are decided.
  private var held = HeldOutputs()
  /// The pins whose levels are always reported, a bit for each.
  private var watched: UInt32 = 0
  /// The pins whose levels are reported only while they drive no servo, a bit for each.
  private var watchedUnlessServo: UInt32 = 0
  /// The pins that are high, a bit for each.
  private var highPins: UInt32 = 0
  /// Outputs before this cycle belong to another session.
  private var begin: UInt64 = 0
  /// The receive ring of the program; nil if unknown.
  var ring: Ring?
  /// The pin of the last tone; nil before the first.
  private var buzzer: Pin?
  private var tones = ToneWatch()
  private(set) var twitches = TwitchWatch()
  private var wire = PinReceiver()
  /// The Arduino pin of `transmitPin`, if that was found; otherwise nil.
  private var sender: UInt8?
  /// The bytes that were read on `transmitPin` and not taken yet.
  private var frames: [PinReceiver.Frame] = []

  init(
    pin: Int, table: ServoTable?, hasOtherTable: Bool, findsServosByPulses: Bool,
    showsPulses: Bool, range: ServoRange?, parts: ChipWiring, bootSection: UInt16?,
    clock: ChipClock, rate: ClockRate, findsTonesByInterrupt: Bool,
    transmitPin: Pin?, hidesUSART: Bool, findsSender: Bool
  ) {
    own = pin
    self.table = table
    self.findsServosByPulses = findsServosByPulses
    self.showsPulses = showsPulses
    self.range = range ?? .standard
    isRangeStated = range != nil
    self.parts = parts
    self.bootSection = bootSection
    self.clock = clock
    self.rate = rate
    limits = PulseLimits(rate)
    toneLimits = ToneLimits(rate)
    self.findsTonesByInterrupt = findsTonesByInterrupt
    self.transmitPin = transmitPin
    self.hidesUSART = hidesUSART
    self.findsSender = findsSender
    candidates = Self.candidates(findsSender)
    attaching = clock.cycles(in: Self.attaching)
    if findsServosByPulses, hasOtherTable { remark(.hidesServo, at: 0) }
  }

  private static func candidates(_ findsSender: Bool) -> [PinReceiver] {
    findsSender ? Array(repeating: PinReceiver(), count: pinCount) : []
  }

  /// Whether the sketch's stores of a width can be observed so far.
  var seesStores: Bool {
    memory.isDriven || table != nil || memory.others?.contains { $0.isDriven } ?? false
  }
  var remarks: [ChipRemark] { memory.remarks }
  /// Whether it is still not known on which pin the program sends by software.
  var isSearching: Bool { !candidates.isEmpty }
  /// Whether the pin on which the program sends by software was found.
  var hasFoundSender: Bool { sender != nil }

  /// The present memory.
  var present: Memory {
    var memory = memory
    memory.table = table?.present
    if findsServosByPulses { memory.pulses = pulses }
    memory.tones = tones == ToneWatch() ? nil : tones
    memory.twitches = twitches == TwitchWatch() ? nil : twitches
    memory.wire = wire == PinReceiver() ? nil : wire
    memory.sender = sender
    memory.channels = channels.servos.isEmpty ? nil : channels.servos.sorted().map { $0.name }
    memory.candidates =
      findsSender && candidates != Self.candidates(findsSender) ? candidates : nil
    return memory
  }

  /// Restores the memory for the chip in its present state. Returns false if no reader can have
  /// this memory.
  mutating func resume(_ memory: Memory, on chip: ATmega328P) -> Bool {
    self.memory = memory
    begin = chip.cycle
    if let pulses = memory.pulses, findsServosByPulses {
      guard pulses.count == Self.pinCount, pulses.allSatisfy({ $0.isPossible(at: chip.cycle) })
      else { return false }
      self.pulses = pulses
      self.memory.pulses = nil
    }
    tones = memory.tones ?? ToneWatch()
    wire = memory.wire ?? PinReceiver()
    twitches = memory.twitches ?? TwitchWatch()
    guard tones.isPossible(at: chip.cycle), wire.isPossible(at: chip.cycle),
      twitches.isPossible(at: chip.cycle)
    else { return false }
    self.memory.twitches = nil
    if let number = memory.sender {
      guard let pin = Pin(arduino: Int(number)) else { return false }
      sender = number
      transmitPin = pin
      candidates = []
    }
    if let saved = memory.candidates {
      guard findsSender, saved.isEmpty || saved.count == Self.pinCount,
        saved.allSatisfy({ $0.isPossible(at: chip.cycle) })
      else { return false }
      candidates = saved
      for (pin, candidate) in saved.enumerated() where candidate.start != nil {
        receiving |= 1 << UInt32(pin)
      }
      self.memory.candidates = nil
    }
    channels = ChannelWatch(servos: (memory.channels ?? []).compactMap { BoardPin(name: $0) })
    buzzer = tones.sound.flatMap { Pin(arduino: Int($0.pin)) }
    for other in memory.others ?? [] {
      guard Int(other.pin) < Self.pinCount else { return false }
      if other.isDriven { servos |= 1 << UInt32(other.pin) }
    }
    for pin in pulses.indices {
      note(pin)
      if pulses[pin].isServo { servos |= 1 << UInt32(pin) }
    }
    for number in 0..<Self.pinCount {
      if let pin = Pin(arduino: number), chip.level(of: pin) { highPins |= 1 << UInt32(number) }
    }
    self.memory.table = nil
    return table?.resume(memory.table) { chip[data: $0] ?? 0 } ?? true
  }

  /// Reports the levels of these pins from now on.
  mutating func watch(_ pins: PinSelection) {
    switch pins {
    case .all:
      let serial = Self.serialPins.compactMap { $0.arduino }
      for pin in 0..<Self.pinCount where !serial.contains(pin) {
        watchedUnlessServo |= 1 << UInt32(pin)
      }
    case .some(let pins):
      for pin in pins.compactMap({ $0.arduino }) { watched |= 1 << UInt32(pin) }
      watchedChannels.formUnion(pins.filter { parts.part(of: $0) != nil })
    }
  }

  /// The channels whose levels the drivers must report.
  var channelWatch: Set<BoardPin> {
    guard showsPulses else { return watchedChannels }
    return watchedChannels.union(
      parts.parts.indices.flatMap { part in
        (0..<16 as Range<UInt8>).compactMap { parts.channel($0, of: UInt8(part)) }
      })
  }

  /// What the chip must report of its pins.
  var pinWatch: PinWatch {
    func pins(_ bits: UInt32) -> Set<Pin> {
      Set(
        (0..<Self.pinCount).filter { bits & 1 << UInt32($0) != 0 }.compactMap {
          Pin(arduino: $0)
        })
    }
    var wires = pins(candidates.isEmpty ? watched : .max)
    if let transmitPin { wires.insert(transmitPin) }
    return PinWatch(wires: wires, driven: pins(watchedUnlessServo).subtracting(wires))
  }

  mutating func read(_ seen: TimedChipEvent, into recorder: inout Recorder) {
    // When a pulse is given up must not depend on how often the chip's events are read.
    settle(at: seen.cycle, &recorder)
    switch seen.event {
    case .pin(let pin, let isHigh):
      if recorder.watchesWires { drive(pin, isHigh, at: seen.cycle, &recorder) }
      level(pin, isHigh, at: seen.cycle, &recorder)
      edge(pin, isHigh, at: seen.cycle, &recorder)
      if !tones.isIdle { followTone(on: pin, isHigh, at: seen.cycle, &recorder) }
    case .released(let pin): if let number = pin.arduino { cut |= 1 << UInt32(number) }
    case .wire(let pin, let isHigh):
      if pin == transmitPin {
        take(wire.edge(isHigh: isHigh, at: seen.cycle, bitCycles: bitCycles), &recorder)
        release(&recorder)
      }
      if !candidates.isEmpty, let number = pin.arduino {
        search(
          candidates[number].edge(isHigh: isHigh, at: seen.cycle, bitCycles: bitCycles), on: number,
          &recorder)
        release(&recorder)
      }
      if watched | watchedUnlessServo != 0 { report(pin, isHigh, at: seen.cycle, &recorder) }
    case .transmit(let byte, _):
      // A program that uses USART0 sends there.
      candidates = []
      receiving = 0
      if !hidesUSART { put(.transmit(byte), at: seen.cycle, &recorder) }
    case .overrun(let byte):
      recorder.mark(.uartOverrun)
      put(.lost(byte, .uartOverrun), at: seen.cycle, &recorder)
    case .dropped(let byte, let hasParityError):
      // An interrupt of the program's own can obey a byte at once. Only Arduino's is known to drop
      // one for want of room.
      guard hasParityError || ring != nil else { break }
      let why: Output.Loss = hasParityError ? .parity : .ringFull
      recorder.lostRead(why)
      put(.lost(byte, why), at: seen.cycle, &recorder)
    case .received(let byte, let address):
      recorder.readUART(at: clock.instant(of: seen.cycle), intoRing: ring != nil)
      if let bootSection, address >= bootSection {
        recorder.lostRead(.booting, .bootloader)
        put(.lost(byte, .booting), at: seen.cycle, &recorder)
      }
    case .stored(let value, let address):
      if address == ring?.addresses.tail {
        ring?.tail = value
        recorder.tookFromRing(at: clock.instant(of: seen.cycle))
      } else if address == ring?.addresses.head, value == ring?.tail {
        recorder.clearReads()
      }
      if let change = table?.stored(value, at: address) { take(change, at: seen.cycle, &recorder) }
    case .entered(let address, let registers, let object):
      table?.entered(address, registers: registers, object: object)
    case .waveform(let waveform): take(waveform, at: seen.cycle, &recorder)
    case .part(let number, let output): take(output, of: number, at: seen.cycle, &recorder)
    case .reset(let cause): restart(cause, at: seen.cycle, &recorder)
    case .stuck(let address, let isAsleep):
      remark(.stuck(at: address, isAsleep: isAsleep), at: seen.cycle)
    case .starved(let vector): remark(.starved(by: vector), at: seen.cycle)
    case .unanswered(let address): remark(silent: address, at: seen.cycle)
    case .notice(let notice): remark(.notEmulated(notice), at: seen.cycle)
    }
  }

  /// Decides the edges whose meaning has become clear by a cycle, and releases the outputs that
  /// waited for them.
  mutating func settle(at cycle: UInt64, _ recorder: inout Recorder) {
    if undecided != 0 {
      var rest = undecided
      while rest != 0 {
        let pin = rest.trailingZeroBitCount
        rest &= rest - 1
        if let end = pulses[pin].giveUp(at: cycle, limits) { self.end(end, on: pin) }
        note(pin)
      }
      release(&recorder)
    }
    if !tones.isIdle {
      if let change = tones.settle(at: cycle, toneLimits) { sound(change, &recorder) }
      release(&recorder)
    }
    if receiving != 0 {
      var rest = receiving
      while rest != 0, !candidates.isEmpty {
        let pin = rest.trailingZeroBitCount
        rest &= rest - 1
        search(candidates[pin].settle(before: cycle, bitCycles: bitCycles), on: pin, &recorder)
      }
      release(&recorder)
    }
    if wire.start != nil {
      take(wire.settle(before: cycle, bitCycles: bitCycles), &recorder)
      release(&recorder)
    }
    channels.settle(at: cycle, limits)
    if let first = memory.firstOther, cycle >= first, cycle - first >= attaching {
      remarkOnPin(at: first)
    }
  }

  // MARK: Parts

  private mutating func take(
    _ output: PartOutput, of part: UInt8, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    switch output {
    case .pulses(let channel, let microseconds, let period):
      guard let pin = parts.channel(channel, of: part),
        let found = channels.pulses(
          on: pin, microseconds: microseconds, period: period, range)
      else { return }
      put(found, at: cycle, &recorder)
      if case .servo = found { remark(.assumesRange, at: cycle) }
    case .level(let channel, let isHigh):
      guard let pin = parts.channel(channel, of: part) else { return }
      if watchedChannels.contains(pin) { put(.pin(pin, isHigh: isHigh), at: cycle, &recorder) }
      let pulse = channels.level(of: pin, isHigh: isHigh, at: cycle)
      if let pulse, showsPulses {
        insert(.pulse(microseconds: limits.microseconds(pulse.width), on: pin), at: pulse.rise)
      }
      release(&recorder)
    }
  }

  // MARK: Pins

  /// Records a pin's level if it is the servo's or the buzzer's.
  private mutating func drive(
    _ pin: Pin, _ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    if pin.arduino == own {
      recorder.drive(.servo, isHigh, at: clock.instant(of: cycle))
    } else if pin == buzzer {
      recorder.drive(.tone, isHigh, at: clock.instant(of: cycle))
    }
  }

  /// Reports the level of a watched pin. Its edge must have been read first, because that can show
  /// that the pin drives a servo.
  private mutating func report(
    _ pin: Pin, _ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    guard let pin = BoardPin(arduino: pin.arduino ?? -1), let number = pin.arduino else { return }
    let bit = UInt32(1) << UInt32(number)
    guard (watched | watchedUnlessServo & ~servoPins) & bit != 0 else { return }
    put(.pin(pin, isHigh: isHigh), at: cycle, &recorder)
  }

  /// Notes a pin's level, and reports what that says about a servo's pulses.
  private mutating func level(
    _ pin: Pin, _ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    guard let number = pin.arduino, let name = BoardPin(arduino: number) else { return }
    let bit = UInt32(1) << UInt32(number)
    highPins = isHigh ? highPins | bit : highPins & ~bit
    if !isHigh, let left = memory.leftHigh, left & bit != 0 {
      endHigh(number)
      if findsServosByPulses {
        pulses[number].endLevel(at: cycle)
      } else {
        put(.detached(name, isHigh: false), at: cycle, &recorder)
      }
    }
    if isHigh, let start = memory.starting?.first(where: { Int($0.pin) == number }) {
      hasStarted(number)
      setPulsing(number, true)
      put(.attached(microseconds: start.pulse, on: name), at: cycle, &recorder)
    }
  }

  /// Reports that the pulses on a pin stop, or would have continued, at a cycle.
  private mutating func detach(_ pin: Int, isHigh: Bool, at cycle: UInt64) -> Output? {
    guard let name = BoardPin(arduino: pin) else { return nil }
    if isHigh {
      memory.leftHigh = (memory.leftHigh ?? 0) | 1 << UInt32(pin)
      remark(.leftHigh(name.name), at: cycle)
    }
    return .detached(name, isHigh: isHigh)
  }

  /// Notes that a pin is no longer high since a servo was detached, or that pulses have begun
  /// there.
  private mutating func endHigh(_ pin: Int) {
    guard let left = memory.leftHigh else { return }
    let rest = left & ~(1 << UInt32(pin))
    memory.leftHigh = rest == 0 ? nil : rest
  }

  private func isHigh(_ pin: Int) -> Bool { highPins >> UInt32(pin) & 1 != 0 }

  private mutating func edge(
    _ pin: Pin, _ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    guard let number = pin.arduino else { return }
    let bit = UInt32(1) << UInt32(number)
    let isCut = cut & bit != 0
    cut &= ~bit
    if (table?.activePins ?? 0) & bit != 0 {
      compare(number, isHigh, isCut: isCut, with: table?.pulse(on: number), at: cycle, &recorder)
    }
    let shown = showsPulses ? servoPins | 1 << UInt32(own) : 0
    guard findsServosByPulses || shown & bit != 0 else { return }
    if isHigh {
      pulses[number].begin(at: cycle)
    } else if let pulse = pulses[number].end(at: cycle) {
      take(pulse, on: number, isShown: shown & bit != 0, isCut: isCut)
    }
    note(number)
    release(&recorder)
  }

  /// Forgets the twitches so far: they were before the session.
  mutating func forgetTwitches() {
    twitches.forgetCounts()
    memory.remarks.removeAll { if case .twitches = $0.kind { true } else { false } }
  }

  /// Compares a pulse of the servo library with what is stored for it; nil if that is not certain.
  private mutating func compare(
    _ pin: Int, _ isHigh: Bool, isCut: Bool, with stored: UInt16?, at cycle: UInt64,
    _ recorder: inout Recorder
  ) {
    guard let stored, !isCut else { return twitches.cut(on: pin) }
    guard !isHigh else { return twitches.begin(on: pin, stored: stored, at: cycle) }
    guard let twitch = twitches.end(on: pin, stored: stored, at: cycle, limits) else { return }
    remark(.twitches(twitch.pin.name), at: cycle)
    recorder.put(twitch, at: clock.instant(of: cycle))
  }

  /// Takes a finished pulse. `isCut` is whether the pin stopped driving in the middle of it, so
  /// that its width is none that the program commanded.
  private mutating func take(
    _ pulse: PulseWatch.Pulse, on pin: Int, isShown: Bool, isCut: Bool
  ) {
    var new: [PulseWatch.Pulse] = []
    var shown = isShown ? [pulse] : []
    var start: PulseWatch.Pulse?
    if findsServosByPulses, !isCut, !isDriven(pin) {
      let train = pulses[pin].train
      let wasServo = pulses[pin].isServo
      let wasRunning = pulses[pin].running != nil
      new = pulses[pin].follow(pulse, limits)
      if let end = pulses[pin].takeEnd() {
        self.end(end, on: pin)
        // By now it is low.
        endHigh(pin)
      }
      if pulses[pin].running != nil, !wasRunning {
        start = wasServo ? pulse : train.first
        endHigh(pin)
        servos |= 1 << UInt32(pin)
        remark(.hidesServo, at: pulse.rise)
        // A library's constructor stores this width. Whether the sketch did is not known.
        if !wasServo, let first = new.first, limits.isInitial(first.width) { new.removeFirst() }
      }
      if pulses[pin].isServo, !wasServo {
        if showsPulses, !isShown { shown = train + [pulse] }
        // The levels held so far were the servo's pulses.
        if watched & 1 << UInt32(pin) == 0, let name = BoardPin(arduino: pin),
          let first = train.first
        {
          held.removeLevels(of: name, from: clock.instant(of: first.rise))
        }
      }
    }
    for pulse in shown {
      let width = limits.microseconds(pulse.width)
      insert(.pulse(microseconds: width, on: name(of: pin)), at: pulse.rise)
    }
    for pulse in new {
      let width = UInt16(limits.microseconds(pulse.width).rounded())
      let degrees = range.degrees(reading: width)
      insert(
        .servo(degrees: degrees, microseconds: width, on: name(of: pin)), at: pulse.rise)
      remark(.assumesRange, at: pulse.rise)
      if pin != own, memory.firstOther == nil { memory.firstOther = pulse.rise }
    }
    if let start, let name = BoardPin(arduino: pin) {
      let width = UInt16(limits.microseconds(start.width).rounded())
      insert(.attached(microseconds: width, on: name), at: start.rise)
    }
  }

  /// Reports the end of pulses that were found by their edges.
  private mutating func end(_ end: PulseWatch.End, on pin: Int) {
    guard let output = detach(pin, isHigh: end.isHigh, at: end.cycle) else { return }
    insert(output, at: end.cycle)
  }

  /// The pins of all servos found so far.
  private var servoPins: UInt32 { servos | (table?.activePins ?? 0) }

  private mutating func note(_ pin: Int) {
    let bit = UInt32(1) << UInt32(pin)
    if pulses[pin].open == nil { undecided &= ~bit } else { undecided |= bit }
  }

  /// The pin that events of a servo name; nil for the session's own servo.
  private func name(of pin: Int) -> BoardPin? { pin == own ? nil : BoardPin(arduino: pin) }

  // MARK: Tones and bytes

  private mutating func followTone(
    on pin: Pin, _ isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    guard let number = pin.arduino, !Self.serialPins.contains(pin), pin != transmitPin,
      servoPins & 1 << UInt32(number) == 0,
      let change = tones.edge(
        of: UInt8(number), isHigh: isHigh, at: cycle, toneLimits)
    else { return release(&recorder) }
    sound(change, &recorder)
  }

  /// Reports a tone or its end.
  private mutating func sound(_ change: ToneWatch.Change, _ recorder: inout Recorder) {
    // Hundredths are precise enough; a timer is no finer.
    let hertz = change.halfPeriod.map {
      (Double(rate.hertz) / (2 * Double($0)) * 100).rounded() / 100
    }
    insert(.tone(hertz: hertz ?? 0), at: change.cycle)
    release(&recorder)
    guard let pin = tones.sound.flatMap({ Pin(arduino: Int($0.pin)) }), pin != buzzer else {
      return
    }
    buzzer = pin
    guard recorder.watchesWires else { return }
    // The levels alternate.
    for (index, cycle) in change.edges.enumerated() {
      let isSame = (change.edges.count - index) % 2 == 1
      recorder.drive(.tone, change.isHigh == isSame, at: clock.instant(of: cycle))
    }
  }

  private mutating func take(_ frame: PinReceiver.Frame?, _ recorder: inout Recorder) {
    guard let frame else { return }
    if recorder.watchesWires {
      for (index, cycle) in frame.edges.enumerated() {
        recorder.drive(.tx, index % 2 == 1, at: clock.instant(of: cycle))
      }
    }
    frames.append(frame)
    insert(.transmit(frame.byte), at: frame.start)
  }

  /// Takes what was received on a pin of which it is not known whether the program sends there.
  private mutating func search(
    _ frame: PinReceiver.Frame?, on pin: Int, _ recorder: inout Recorder
  ) {
    guard let frame, PinReceiver.isCertain(frame, bitCycles: bitCycles),
      let name = BoardPin(arduino: pin)?.name
    else {
      let bit = UInt32(1) << UInt32(pin)
      if candidates[pin].start == nil { receiving &= ~bit } else { receiving |= bit }
      return
    }
    transmitPin = Pin(arduino: pin)
    sender = UInt8(pin)
    wire = candidates[pin]
    candidates = []
    receiving = 0
    remark(.sendsOn(name), at: frame.start)
    take(frame, &recorder)
  }

  /// Returns the bytes that the program has sent by software since the last call.
  mutating func takeFrames() -> [PinReceiver.Frame] {
    guard !frames.isEmpty else { return [] }
    defer { frames = [] }
    return frames
  }

  /// Sets the speed of the receiver at the other end, in bits a second.
  mutating func setReceiver(baud: Int) {
    bitCycles = UInt64(rate.hertz) * 256 / UInt64(baud)
  }

  // MARK: Stores

  private mutating func take(
    _ change: ServoTable.Change, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    if let pin = change.detached.map({ Int($0) }),
      let output = detach(pin, isHigh: isHigh(pin), at: cycle)
    {
      twitches.cut(on: pin)
      put(output, at: cycle, &recorder)
    }
    if let (pin, pulse) = change.attached, let name = BoardPin(arduino: Int(pin)) {
      // The next width that is stored is an event, even if it is the last one before.
      endHigh(Int(pin))
      if Int(pin) == own { memory.reported = 0 } else { self.change(Int(pin)) { $0.reported = 0 } }
      put(.attached(microseconds: pulse, on: name), at: cycle, &recorder)
    }
    if let store = change.store {
      let known = isRangeStated ? nil : store.range
      self.store(store.pulse, known ?? range, on: Int(store.pin), at: cycle, &recorder)
      twitches.set((known ?? range).degrees(reading: store.pulse), on: Int(store.pin))
      if known == nil { remark(.assumesRange, at: cycle) }
    }
  }

  private mutating func take(
    _ waveform: OutputCompare, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    let hasPeriod =
      waveform.periodCycles.map { limits.periods.contains(UInt64($0)) } ?? false
    let pin = waveform.unit.arduinoPin
    if pin == own, watched >> UInt32(own) & 1 == 0,
      let half = waveform.halfPeriod, half < toneLimits.halfPeriods.lowerBound
    {
      remark(.tooFast(hertz: rate.hertz / (2 * half)), at: cycle)
    }
    // Starting to drive the pin is not a new width.
    if hasPeriod, let cycles = waveform.pulseCycles {
      let pulse = limits.microseconds(UInt64(cycles)).rounded()
      // What was to begin has another width, or is no servo's pulse any more.
      hasStarted(pin)
      if PulseLimits.widths.contains(UInt64(pulse)) {
        if isDriven(pin), store(UInt16(pulse), range, on: pin, at: cycle, &recorder) {
          setPulsing(pin, true)
        } else if !isPulsing(pin) {
          let start = StartingPin(pin: UInt8(truncatingIfNeeded: pin), pulse: UInt16(pulse))
          memory.starting = (memory.starting ?? []) + [start]
        }
      }
    }
    if isDriven(pin), !hasPeriod { stop(pin, isHigh: isHigh(pin), at: cycle, &recorder) }
    if hasPeriod != isDriven(pin) { setDriven(pin, hasPeriod) }
    if let change = tones.take(
      waveform, byInterrupt: findsTonesByInterrupt, at: cycle, toneLimits)
    {
      sound(change, &recorder)
    }
  }

  /// Notes that an event has told that a timer drives a pin.
  private mutating func hasStarted(_ pin: Int) {
    guard var starting = memory.starting else { return }
    starting.removeAll { Int($0.pin) == pin }
    memory.starting = starting.isEmpty ? nil : starting
  }

  /// Reports that a timer no longer drives a servo's pin, unless no event has told that its pulses
  /// have begun.
  private mutating func stop(
    _ pin: Int, isHigh: Bool, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    hasStarted(pin)
    guard isPulsing(pin), let output = detach(pin, isHigh: isHigh, at: cycle) else { return }
    setPulsing(pin, false)
    put(output, at: cycle, &recorder)
  }

  /// Whether an event has told that a timer's pulses on a pin have begun, and none that they have
  /// stopped.
  private func isPulsing(_ pin: Int) -> Bool { (memory.pulsing ?? 0) >> UInt32(pin) & 1 != 0 }

  private mutating func setPulsing(_ pin: Int, _ isPulsing: Bool) {
    let bit = UInt32(1) << UInt32(pin)
    let pins = isPulsing ? (memory.pulsing ?? 0) | bit : (memory.pulsing ?? 0) & ~bit
    memory.pulsing = pins == 0 ? nil : pins
  }

  private func isDriven(_ pin: Int) -> Bool {
    if pin == own { return memory.isDriven }
    return memory.others?.contains { Int($0.pin) == pin && $0.isDriven } ?? false
  }

  private mutating func setDriven(_ pin: Int, _ isDriven: Bool) {
    if pin == own { memory.isDriven = isDriven } else { change(pin) { $0.isDriven = isDriven } }
    let bit = UInt32(1) << UInt32(pin)
    if isDriven { servos |= bit } else { servos &= ~bit }
    if isDriven, findsServosByPulses {
      // The timer's registers tell the widths from now on.
      pulses[pin].forget()
      note(pin)
    }
  }

  private mutating func change(_ pin: Int, _ body: (inout OtherServo) -> Void) {
    var others = memory.others ?? []
    let number = UInt8(truncatingIfNeeded: pin)
    let index = others.firstIndex { $0.pin == number } ?? others.endIndex
    if index == others.endIndex { others.append(OtherServo(pin: number)) }
    body(&others[index])
    memory.others = others
  }

  /// Records a stored width. Only a change is an event. Returns whether it is one.
  @discardableResult
  private mutating func store(
    _ pulse: UInt16, _ range: ServoRange, on pin: Int, at cycle: UInt64,
    _ recorder: inout Recorder
  ) -> Bool {
    if pin == own {
      guard pulse != memory.reported else { return false }
      memory.reported = pulse
    } else {
      let reported = memory.others?.first { Int($0.pin) == pin }?.reported
      guard pulse != reported ?? 0 else { return false }
      change(pin) { $0.reported = pulse }
      if memory.firstOther == nil { memory.firstOther = cycle }
    }
    let degrees = range.degrees(reading: pulse)
    put(.servo(degrees: degrees, microseconds: pulse, on: name(of: pin)), at: cycle, &recorder)
    return true
  }

  private mutating func restart(
    _ cause: ResetCause, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    for pin in pulses.indices where pulses[pin].running != nil {
      if let name = BoardPin(arduino: pin) { insert(.detached(name, isHigh: false), at: cycle) }
    }
    pulses = Array(repeating: PulseWatch(), count: Self.pinCount)
    undecided = 0
    release(&recorder)
    // A restart makes all pins inputs.
    for pin in 0..<Self.pinCount {
      let active = (table?.activePins ?? 0) | (memory.pulsing ?? 0)
      if active >> UInt32(pin) & 1 != 0, let name = BoardPin(arduino: pin) {
        put(.detached(name, isHigh: false), at: cycle, &recorder)
      }
    }
    table?.restart()
    twitches.restart()
    memory.starting = nil
    memory.pulsing = nil
    memory.leftHigh = nil
    cut = 0
    // The chip stops in the middle of a byte, and its pin is pulled up.
    recorder.drive(.tx, true, at: clock.instant(of: cycle))
    let isSounding = tones.sound != nil
    tones = ToneWatch()
    wire = PinReceiver()
    candidates = candidates.map { _ in PinReceiver() }
    receiving = 0
    release(&recorder)
    if isSounding { put(.tone(hertz: 0), at: cycle, &recorder) }
    memory.isDriven = false
    memory.reported = 0
    memory.others = nil
    servos = 0
    recorder.clearedRing()
    if cause == .watchdog { remark(.watchdog, at: cycle) }
  }

  // MARK: Remarks

  private mutating func remark(_ kind: ChipRemark.Kind, at cycle: UInt64) {
    guard !memory.remarks.contains(where: { $0.kind == kind }) else { return }
    memory.remarks.append(ChipRemark(kind: kind, instant: clock.instant(of: cycle)))
  }

  /// Remarks that no device has an address. A program that scans the bus tries all of them, so only
  /// the first few are named.
  private mutating func remark(silent address: UInt8, at cycle: UInt64) {
    let count = memory.remarks.count {
      if case .silentDevice = $0.kind { true } else { false }
    }
    guard count <= Self.silentMax else { return }
    remark(.silentDevice(count < Self.silentMax ? address : nil), at: cycle)
  }

  /// Remarks that a byte from the sender reached no receiver. `inputs` are the pins that look like
  /// those of a receiver by software.
  mutating func remark(unheardBy inputs: [Pin], at cycle: UInt64) {
    remark(.nothingListens(Self.names(inputs)), at: cycle)
  }

  /// Remarks that the program has read nothing from USART0 although bytes wait there, and that
  /// these pins look like those of a receiver by software.
  mutating func remark(unreadBeside inputs: [Pin], at cycle: UInt64) {
    remark(.neverReads(Self.names(inputs)), at: cycle)
  }

  private static func names(_ pins: [Pin]) -> [String] {
    pins.compactMap { $0.arduino.flatMap { BoardPin(arduino: $0)?.name } }
  }

  /// Remarks that the only servo is on a pin other than the session's own.
  private mutating func remarkOnPin(at cycle: UInt64) {
    // The check is made only once.
    memory.firstOther = .max
    guard memory.reported == 0, servoPins >> UInt32(own) & 1 == 0 else { return }
    let stored = (memory.others ?? []).filter { $0.reported != 0 }.map { Int($0.pin) }
    let pins = Set(stored + pulses.indices.filter { pulses[$0].isServo })
    if pins.count == 1, let pin = pins.first, let name = BoardPin(arduino: pin)?.name {
      remark(.servoElsewhere(name), at: cycle)
    }
  }

  // MARK: Order

  /// The first cycle of what is not decided yet; nil if there is nothing.
  private var firstUndecided: UInt64? {
    var first = tones.isIdle ? nil : tones.undecided
    if let start = wire.start { first = min(first ?? start, start) }
    if showsPulses, let rise = channels.undecided { first = min(first ?? rise, rise) }
    for candidate in candidates {
      if let start = candidate.start { first = min(first ?? start, start) }
    }
    var rest = undecided
    while rest != 0 {
      let pin = rest.trailingZeroBitCount
      rest &= rest - 1
      if let cycle = pulses[pin].open { first = min(first ?? cycle, cycle) }
    }
    return first
  }

  private mutating func put(_ output: Output, at cycle: UInt64, _ recorder: inout Recorder) {
    let instant = clock.instant(of: cycle)
    if held.isEmpty, firstUndecided == nil {
      recorder.put(output, at: instant)
    } else {
      held.append(output, at: instant)
    }
  }

  /// Adds an output that happened at an earlier cycle.
  private mutating func insert(_ output: Output, at cycle: UInt64) {
    if cycle >= begin { held.insert(output, at: clock.instant(of: cycle)) }
  }

  private mutating func release(_ recorder: inout Recorder) {
    guard !held.isEmpty else { return }
    held.release(before: firstUndecided.map { clock.instant(of: $0) }, into: &recorder)
  }
}
