package import AVR
package import Devices
package import Sketches
import Traces

/// An emulated Arduino Uno: a compiled sketch on an ATmega328P, in virtual time.
package struct AVRDevice: RealTimeDevice, OnSerialLine, Hashable {
  /// How far ahead `nextDeadline` looks.
  private static let foresight = Interval.milliseconds(50)
  private static let look = Interval.milliseconds(1)
  /// How long a sketch can take until it opens its port.
  private static let openingMax = Interval.seconds(2)
  /// How long a sketch that reads its USART can leave the first byte there.
  private static let readingMax = Interval.seconds(1)

  /// The longest time between two readings of the chip's events, so that a program that never idles
  /// needs little memory.
  private static let slice = Interval.milliseconds(20)

  /// The chip, for inspection. It can be run from outside as long as no byte begins or ends and no
  /// other input arrives. Its outputs are read by the next `advance`.
  package var chip: ATmega328P
  package var line: SerialLine
  var reader: ChipReader
  let clock: ChipClock
  package let program: AVRProgram
  /// The board's speed according to the header, in bits a second.
  let baud: Int
  private var showsPulses: Bool
  package private(set) var now: Instant
  /// When the sketch starts. Before that, a bootloader that is not loaded owns the line.
  private(set) var sketchStart = Instant.zero
  /// Whether the start bit of the next byte has been seen.
  private(set) var hasStarted = false
  /// Whether all pins are followed, to find the one on which the program sends by software.
  private var isSearching = false
  /// Events that the chip's last instruction causes after `now`.
  private(set) var late: [TimedChipEvent] = []
  /// When it is to be checked whether the program has read any byte from USART0; nil before the
  /// first one arrives, and after the check.
  private var readingEnd: Instant?
  private var hasReceived = false
  /// The changes of the sender's line that RXD has not had yet, the last first; empty if the
  /// program does not look at that pin.
  private var changes: [SerialLine.Change] = []
  /// When the program last took a byte from its ring, and read one from USART0, if the run is
  /// recorded.
  private var lastTaken: UInt64?
  /// What is said of the last crash. It takes long to find.
  private struct Crash: Hashable {
    var fault: Fault
    var error: DeviceError
  }
  private var crash: Crash?
  private var findsLoop = false
  private var findsVariables = false
  private var lastRead: UInt64?
  /// The bytes for the sender, each with the end of its stop bit; nil until the first is taken.
  private var sent: [TimedOutput]?

  init(
    _ program: AVRProgram, for header: Header, showsPulses: Bool, skipsWaiting: Bool = true
  ) {
    self.program = program
    baud = header.baud
    self.showsPulses = showsPulses
    now = .zero
    line = SerialLine(baud: header.baud)
    chip = Self.makeChip(program, skipsWaiting: skipsWaiting)
    var clock = ChipClock(program.wiring.rate)
    if header.start == .unknown {
      clock.origin = clock.unseen
      chip.run(until: clock.origin)
    }
    self.clock = clock
    reader = program.makeReader(showsPulses: showsPulses, clock: clock)
    reader.sender.setReceiver(baud: header.baud, program.wiring.rate)
    watchPins()
    if header.start == .unknown {
      var earlier = Recorder()
      for event in chip.takeEvents() { reader.read(event, into: &earlier) }
      reader.forgetTwitches()
    }
  }

  private static func makeChip(_ program: AVRProgram, skipsWaiting: Bool) -> ATmega328P {
    var chip = program.makeChip()
    chip.skipsWaiting = skipsWaiting
    for input in program.wiring.inputs { apply(input, to: &chip, program.wiring) }
    return chip
  }

  /// Restores a saved device, without what its reader remembers.
  init(
    _ program: AVRProgram, _ chip: ATmega328P, _ state: AVRDeviceState, at instant: Instant,
    showsPulses: Bool
  ) {
    self.program = program
    self.chip = chip
    self.showsPulses = showsPulses
    now = instant
    (baud, line) = (state.baud, state.line)
    (sketchStart, hasStarted, late) = (state.sketchStart, state.hasStarted, state.late)
    clock = ChipClock(program.wiring.rate, origin: state.origin)
    reader = program.makeReader(showsPulses: showsPulses, clock: clock)
    reader.sender.setReceiver(baud: line.sender.baud, program.wiring.rate)
  }

  package var capabilities: DeviceCapabilities {
    var capabilities = DeviceCapabilities.virtual(
      observing: AVRProgram.observes, reportsFates: false, lag: lag)
    capabilities.showsWires = true
    capabilities.takesInputs = true
    capabilities.parts = program.wiring.partInputs
    capabilities.hasOtherServos = true
    capabilities.showsTwitches = program.showsTwitches
    capabilities.recordsRuns = true
    capabilities.findsLoop = findsLoop
    capabilities.findsVariables = findsVariables
    capabilities.ownServo = program.wiring.servo
    if case .some(let pins) = program.wiring.pins { capabilities.selectedPins = Set(pins) }
    return capabilities
  }

  private var lag: Interval {
    var lag = Interval.zero
    // Three periods show that there is a servo.
    if program.findsServosByPulses {
      lag = .milliseconds(75)
    } else if showsPulses {
      // A pulse's width is known only when it ends.
      lag = .milliseconds(25)
    }
    // Three edges show that there is a tone.
    if program.findsTonesByInterrupt { lag = max(lag, .milliseconds(60)) }
    // A byte is known only when it is complete.
    if program.transmitPin != nil || program.findsSender {
      lag = max(lag, ByteClock.byteTime(baud: min(baud, line.sender.baud)))
    }
    return lag
  }

  package var receivingFormat: LineFormat {
    program.receivePin == nil ? LineFormat(chip.usartFormat) : .standard
  }
  package var sendingFormat: LineFormat {
    sendsBySoftware ? .standard : LineFormat(chip.usartFormat)
  }

  /// Whether the host's receiver is on a pin other than USART0's. What is sent there by software
  /// has no speed of its own: it is read at the host's, in 8N1.
  private var sendsBySoftware: Bool { program.hidesUSART || reader.sender.pin != nil }

  package var shownReads: ShownReads {
    if program.receivePin != nil { return .none }
    return reader.bytes.ring == nil ? .register : .ring
  }

  package var fault: DeviceError? {
    guard let fault = chip.fault else { return nil }
    if let crash, crash.fault == fault { return crash.error }
    return program.error(fault, at: clock.instant(of: fault.cycle), in: chip)
  }

  package var remarks: [String] {
    program.partRemarks + reader.found.remarks.map { program.sentence($0, reader.library.twitches) }
  }

  package var twitches: [String] {
    reader.found.remarks.compactMap { remark in
      guard case .twitches(let pin) = remark.kind else { return nil }
      return BoardPin(name: pin).map { reader.library.twitches.sentence(on: $0) }
    }
  }

  package var memoryFaults: [String] {
    reader.found.remarks.compactMap { remark in
      guard case .memory = remark.kind else { return nil }
      return program.text(of: remark, reader.library.twitches)
    }
  }

  package var nextDeadline: Instant? { nextDeadline(inStepsOf: Self.look) { true } }

  /// A program that changes its pins with every few instructions is emulated more slowly than it
  /// runs on a board.
  package var canBeSlow: Bool { true }

  /// Found by running a copy ahead until it produces an output, or for `foresight`.
  package func nextDeadline(inStepsOf step: Interval, while hasTime: () -> Bool) -> Instant? {
    guard chip.fault == nil else { return nil }
    var ahead = self
    ahead.chip.stopRecording()
    ahead.reader.found.causes = Uncompared(nil)
    var recorder = Recorder()
    let horizon = min(now + Self.foresight, sent?.first?.time ?? .distantFuture)
    while ahead.now < horizon {
      ahead.advance(to: ahead.now + step, into: &recorder)
      // An output before `now` becomes known only at `ahead.now`.
      if let first = recorder.outputs.first { return first.time < now ? ahead.now : first.time }
      if !hasTime() { return min(ahead.now, horizon) }
    }
    return horizon
  }

  package var sendingBaud: Int? {
    if sendsBySoftware { return line.sender.baud }
    return chip.usartBaud.map {
      min(max($0, SerialLine.bauds.lowerBound), SerialLine.bauds.upperBound)
    }
  }

  package mutating func takeForSender() -> SentBytes? {
    guard lag > .zero else { return nil }
    // While USART0 is off, a byte on D1 was sent by software.
    var taken = SentBytes(baud: sendingBaud ?? line.sender.baud, format: sendingFormat)
    let byteTime = ByteClock.byteTime(baud: taken.baud, format: taken.format)
    let count = sent?.prefix { $0.time <= now }.count ?? 0
    for seen in (sent ?? []).prefix(count) {
      guard case .transmit(let byte) = seen.output else { continue }
      taken.bytes.append(byte)
      taken.starts.append(seen.time - byteTime)
    }
    if sent == nil { sent = [] } else { sent?.removeFirst(count) }
    return taken
  }

  package mutating func watch(_ pins: PinSelection) {
    reader.watch(pins)
    watchPins()
  }

  package mutating func setSenderBaud(_ baud: Int) {
    line.sender.baud = baud
    reader.sender.setReceiver(baud: baud, program.wiring.rate)
  }

  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    line.sendBreak(lasting: length, at: instant)
    driveAgain()
  }

  package mutating func addFramingError(to byte: UInt8) {
    line.addFramingError(to: byte)
    driveAgain()
  }

  /// Applies the line's level to the pin that the program samples, since the frame on the line has
  /// changed.
  private mutating func driveAgain() {
    guard let pin = program.receivePin, hasStarted, let frame = line.frame else { return }
    chip.drive(pin, frame.level(at: now))
  }

  package mutating func set(_ input: BoardInput, at instant: Instant) {
    Self.apply(input, to: &chip, program.wiring)
  }

  private static func apply(
    _ input: BoardInput, to chip: inout ATmega328P, _ wiring: ChipWiring
  ) {
    if case .voltage(let pin, let microvolts) = input, let channel = pin.analogOnlyChannel {
      return chip.apply(microvolts: microvolts, toChannel: channel)
    }
    switch input {
    case .level(let pin, let isHigh):
      if let pin = pin.arduino.flatMap({ Pin(arduino: $0) }) { chip.drive(pin, isHigh) }
    case .voltage(let pin, let microvolts):
      guard let pin = pin.arduino.flatMap({ Pin(arduino: $0) }) else { return }
      chip.apply(microvolts: microvolts, to: pin)
    case .part(let part, let millionths):
      guard let number = wiring.parts.firstIndex(of: part) else { return }
      chip.set(part: UInt8(number), to: millionths)
    }
  }

  /// Takes over the state of another device that is the same board at the same instant, as a
  /// debugger has changed it. What reads the outputs stays.
  package mutating func adopt(_ changed: AVRDevice) {
    let own = self
    self = changed
    (showsPulses, reader, sent) = (own.showsPulses, own.reader, own.sent)
    if let ring = reader.bytes.ring { chip.watch(ring.addresses.head..<ring.addresses.tail + 1) }
    watchPins()
  }

  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    // A loaded bootloader takes its own time.
    let hold = program.hasBootloader ? .zero : deadTime
    // A reset during another one's dead time does not wait for the end of that.
    let begin = max(instant, sketchStart)
    let start = max(instant + hold, sketchStart)
    chip.reset(.external, heldFor: clock.cycles(in: start - begin))
    sketchStart = start
    read(before: chip.cycle + 1, into: &recorder)
  }

  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    if let pin = program.receivePin {
      drive(pin, to: end, &recorder)
    } else {
      if chip.looksAtRXD { changes = line.changes(from: now, through: end).reversed() }
      receive(to: end, &recorder)
    }
    run(to: end, &recorder)
    now = max(now, end)
  }

  /// Delivers the bytes that begin or arrive by `end` to the USART.
  private mutating func receive(to end: Instant, _ recorder: inout Recorder) {
    while chip.fault == nil, let arrival = line.nextDeadline {
      if !hasStarted {
        let start = arrival - line.receiver.frameTime
        if start > end { break }
        run(to: start, &recorder)
        chip.startBit()
        hasStarted = true
      }
      guard let byte = line.next(by: min(arrival, end)) else {
        if arrival > end { break }
        // What looked like a start bit did not begin a byte.
        hasStarted = false
        continue
      }
      hasStarted = false
      run(to: byte.end, &recorder)
      // A chip that has crashed takes no bytes.
      guard chip.fault == nil else { break }
      recorder.arrived(byte.byte, at: byte.end)
      if recorder.followsReads || chip.runRecord != nil { findRing() }
      if byte.end < sketchStart || !chip.takesFrame {
        recorder.mark(.booting, deafness(at: byte.end))
        recorder.put(.lost(byte.byte, .booting), at: byte.end)
        if byte.end >= sketchStart { noteUnheard(at: byte.end) }
      } else {
        let frame = ReceivedFrame(
          byte.byte, hasFramingError: byte.hasFramingError, hasParityError: byte.hasParityError,
          ninthBit: byte.ninthBit)
        if chip.ignores(frame) { recorder.mark(.booting, .notAddressed) }
        chip.receive(frame)
        if !hasReceived { readingEnd = byte.end + Self.readingMax }
        hasReceived = true
      }
    }
  }

  /// Notes that the program has read nothing from USART0, if another pin looks like a receiver's.
  private mutating func noteUnread(at end: Instant) {
    let inputs = receiverInputs
    guard !inputs.isEmpty, let ring = SerialRing(in: chip), chip[data: ring.tail] == 0,
      ring.unreadCount(in: chip) > 0
    else { return }
    reader.found.remark(.neverReads(inputs), at: clock.cycle(of: end))
  }

  /// Notes that USART0's receiver was off when a byte arrived. It can still be switched on, unless
  /// the program reads another pin or has had time enough.
  private mutating func noteUnheard(at instant: Instant) {
    // It sleeps, or was switched on in the middle of the byte.
    guard !chip.isReceiving else { return }
    let inputs = receiverInputs
    if !inputs.isEmpty || instant - sketchStart >= Self.openingMax {
      reader.found.remark(.nothingListens(inputs), at: chip.cycle)
    }
  }

  /// The names of the pins that look like those of a receiver by software.
  private var receiverInputs: [String] {
    chip.pinChangeInputs.compactMap { $0.arduino.flatMap { BoardPin(arduino: $0)?.name } }
  }

  /// Why the chip does not receive a byte whose stop bit ends at an instant.
  private func deafness(at end: Instant) -> Ledger.Deafness {
    if end < sketchStart { return .bootloader }
    return chip.hasStoppedFrame ? .asleep : .portClosed
  }

  /// Finds the receive ring of Arduino's core, unless it is known. The core's start-up sets it up.
  private mutating func findRing() {
    guard reader.bytes.ring == nil, let ring = SerialRing(in: chip) else { return }
    reader.bytes.ring = ByteObserver.Ring(addresses: ring, tail: chip[data: ring.tail] ?? 0)
    chip.watch(ring.head..<ring.tail + 1)
  }

  /// Applies the bits that begin by `end` to a pin, which the program samples.
  private mutating func drive(_ pin: Pin, to end: Instant, _ recorder: inout Recorder) {
    while chip.fault == nil, let frame = line.frame, frame.start <= end {
      for index in 0..<frame.changeCount {
        let (instant, isHigh) = frame.change(index)
        if instant > end { return }
        // Bits that began earlier have been applied, except for the start bit of a byte sent just
        // now.
        if index == 0 ? hasStarted : instant <= now { continue }
        run(to: instant, &recorder)
        chip.drive(pin, isHigh)
        hasStarted = true
      }
      guard frame.end <= end else { return }
      hasStarted = false
      recorder.arrived(frame.byte, at: frame.end)
      // The program samples the pin, so whether it took the byte cannot be observed.
      recorder.mark(.arrived)
      line.finishFrame()
    }
  }

  package mutating func followBranches() { chip.followBranches() }
  package func forEachBranch(_ body: (UInt32) -> Void) { chip.forEachBranch(body) }

  package var unreadCount: Int {
    chip.unreadCount + (SerialRing(in: chip)?.unreadCount(in: chip) ?? 0)
  }

  /// Runs the chip to an instant, with the sender's bits on RXD if the program looks there.
  private mutating func run(to instant: Instant, _ recorder: inout Recorder) {
    if let end = readingEnd, end <= instant {
      readingEnd = nil
      run(to: end, &recorder)
      noteUnread(at: end)
    }
    while let change = changes.last, change.instant <= instant {
      changes.removeLast()
      runChip(to: change.instant, &recorder)
      chip.drive(.RXD, change.isHigh)
    }
    runChip(to: instant, &recorder)
  }

  private mutating func runChip(to instant: Instant, _ recorder: inout Recorder) {
    let end = clock.cycle(of: instant) + 1
    let slice = clock.cycles(in: Self.slice)
    // At least once: the chip may have been run from outside.
    repeat {
      chip.run(until: min(end, chip.cycle + slice))
      read(before: end, into: &recorder)
    } while chip.cycle < end && chip.fault == nil
    if let fault = chip.fault, crash?.fault != fault, let error = self.fault {
      crash = Crash(fault: fault, error: error)
    }
    reader.settle(at: end - 1, &recorder)
    followPins()
    takeFrames()
    if recorder.followsReads, program.receivePin == nil {
      recorder.keepUnread(chip.unreadCount + late.count { $0.event.isRead })
    }
    listen()
  }

  /// Reads the chip's events before a cycle. An instruction that begins before that cycle can end
  /// after it, and events at its end are kept for the next call.
  private mutating func read(before end: UInt64, into recorder: inout Recorder) {
    let events = late + chip.takeEvents()
    late = []
    let record = chip.runRecord
    if let record { reader.found.causes.value?.read(chip.takeEdges(), record.tree) }
    defer { if record != nil { reader.found.causes.value?.forget(before: end) } }
    for seen in events {
      guard seen.cycle < end else {
        late.append(seen)
        continue
      }
      // Whether the core's ring was full depends on whether there is one.
      if case .dropped = seen.event { findRing() }
      reader.read(seen, into: &recorder)
      if let record { noteReads(seen, record, &recorder) }
      guard case .transmit(let byte, let frame) = seen.event, !program.hidesUSART else { continue }
      let levels = frame?.levels ?? UInt16(byte) << 1 | 0x200
      let count = UInt64(frame?.bitCount ?? 10)
      if recorder.watchesWires { send(levels, count, at: seen.cycle, &recorder) }
      let end = clock.instant(of: seen.cycle + count * chip.usartBitCycles)
      sent?.append(TimedOutput(time: end, output: .transmit(byte)))
    }
    if let record { takeNotes(record, &recorder) }
    followPins()
  }

  // MARK: Recorded runs

  package mutating func recordRun(wholly: Bool) {
    let map = program.sourceMap
    let loop = program.loopCode(map)
    findsLoop = loop != nil
    let layout = program.layout
    findsVariables = layout.staticEnd != nil
    if now == .zero, clock.origin > 0, chip.cycle < clock.origin + 5, chip.runRecord == nil {
      // What was before the session counts: what was set, and whose the stack is.
      chip = Self.makeChip(program, skipsWaiting: chip.skipsWaiting)
      chip.recordRun(layout, loop: loop, wholly: wholly)
      chip.run(until: clock.origin)
      chip.beginReports()
      watchPins()
    } else {
      chip.recordRun(layout, loop: loop, wholly: wholly)
    }
    reader.found.causes = Uncompared(Causes(map, clock, reader.found.limits))
  }

  package func busy(from begin: Instant, to end: Instant) -> String? {
    guard let record = chip.runRecord, let causes = reader.found.causes.value else { return nil }
    return causes.busy(from: clock.cycle(of: begin), to: clock.cycle(of: end), record)
  }

  package var stackUse: StackUse? {
    guard let record = chip.runRecord, let causes = reader.found.causes.value else { return nil }
    return causes.stackUse(record, from: program.part.sramEnd)
  }

  /// Follows the program's reads, and reports what it did while a byte waited that is lost now.
  private mutating func noteReads(
    _ seen: TimedChipEvent, _ record: RunRecord, _ recorder: inout Recorder
  ) {
    switch seen.event {
    case .received:
      lastRead = seen.cycle
      // Until the program has taken one, the first byte waits.
      lastTaken = lastTaken ?? seen.cycle
    case .stored(let value, let address):
      if let ring = reader.bytes.ring, address == ring.addresses.tail, value == ring.tail {
        lastTaken = seen.cycle
      }
    case .dropped(_, false):
      guard reader.bytes.ring != nil, let lastTaken else { return }
      put(reader.found.causes.value?.busy(from: lastTaken, to: seen.cycle, record), seen.cycle)
    default: break
    }
    func put(_ why: String?, _ cycle: UInt64) {
      guard let why else { return }
      recorder.put(.why("the program was \(why)"), at: clock.instant(of: cycle))
    }
  }

  /// Reports what the record notes as it happens.
  private mutating func takeNotes(_ record: RunRecord, _ recorder: inout Recorder) {
    guard let causes = reader.found.causes.value else { return }
    for noted in chip.takeNotes() {
      switch noted.note {
      case .off(let stretch):
        put(.longest(.interruptsOff, causes.length(stretch.length), causes.text(of: stretch)))
      case .turn(let cycles, let isOver):
        put(
          .longest(
            .loop, causes.length(cycles),
            causes.text(ofTurn: cycles, isOver, at: noted.cycle, record)))
      case .overrun(let delay):
        let why =
          delay == nil
          ? lastRead.flatMap { causes.busy(from: $0, to: noted.cycle, record) }
            .map { "the program was \($0)" }
          : delay?.blocker.map { causes.text(of: $0) }
        if let why { put(.why(why)) }
      case .memory(let fault, let place):
        let (kind, text) = causes.text(of: fault, at: place, record)
        put(.memory(kind, text))
        reader.found.remark(.memory(text), at: noted.cycle)
      }
      func put(_ note: RunNote) { recorder.put(note, at: clock.instant(of: noted.cycle)) }
    }
  }

  /// What such a note would say now of what is not over; none if the run is not recorded.
  var unfinished: [RunNote] {
    guard let record = chip.runRecord, var causes = reader.found.causes.value else { return [] }
    causes.read([], record.tree)
    var notes: [RunNote] = []
    if let open = record.openStretch(at: chip.cycle) {
      notes.append(.longest(.interruptsOff, causes.length(open.length), causes.text(of: open)))
    }
    if let begin = record.turnBegin {
      let cycles = chip.cycle - begin
      let text = causes.text(ofTurn: cycles, false, at: chip.cycle, record)
      notes.append(.longest(.loop, causes.length(cycles), text))
    }
    return notes
  }

  /// Follows fewer pins once it is known where the program sends.
  private mutating func followPins() {
    if isSearching, !reader.sender.isSearching { watchPins() }
  }

  /// Makes the chip report what the reader follows now.
  mutating func watchPins() {
    isSearching = reader.sender.isSearching
    chip.set(reader.pinWatch)
    for pin in reader.channelWatch {
      guard let part = program.wiring.part(of: pin), let channel = pin.driver?.channel else {
        continue
      }
      chip.follow(part: part, channel: channel)
    }
  }

  /// Passes the bytes that the program has sent by software on to the sender.
  private mutating func takeFrames() {
    for frame in reader.sender.takeFrames() {
      let end = clock.instant(of: frame.end)
      sent?.append(TimedOutput(time: end, output: .transmit(frame.byte)))
    }
  }

  /// Records the bits of a frame that the chip begins to send, the start bit lowest, at its actual
  /// speed.
  private func send(
    _ levels: UInt16, _ count: UInt64, at cycle: UInt64, _ recorder: inout Recorder
  ) {
    var bits = levels
    for bit in 0..<count {
      let instant = clock.instant(of: cycle + bit * chip.usartBitCycles)
      recorder.drive(.tx, bits & 1 == 1, at: instant)
      bits >>= 1
    }
  }

  /// Follows the format that the program has set, and the speed if it differs from the header's:
  /// 9600 baud from 16 MHz is actually 9615.
  private mutating func listen() {
    guard let set = chip.usartBaud else { return }
    let isAsTold = abs(set - baud) * 100 <= baud * 3
    let bauds = SerialLine.bauds
    let speed = isAsTold ? baud : min(max(set, bauds.lowerBound), bauds.upperBound)
    let samplesFast = chip.usartSamplesFast
    if line.receiver.baud != speed { line.receiver.baud = speed }
    let format = LineFormat(chip.usartFormat)
    if line.receiver.format != format { line.receiver.format = format }
    if line.receiver.isDoubleSpeed != samplesFast { line.receiver.isDoubleSpeed = samplesFast }
  }
}

extension LineFormat {
  init(_ format: FrameFormat) {
    let parity: Parity =
      switch format.parity {
      case nil: .none
      case .even: .even
      case .odd: .odd
      }
    self.init(
      dataSize: format.dataBits, parity: parity, stopSize: format.hasTwoStopBits ? .two : .one)
  }
}

extension ChipEvent {
  /// Whether the program read a byte from its UART.
  fileprivate var isRead: Bool {
    if case .received = self { true } else { false }
  }
}
