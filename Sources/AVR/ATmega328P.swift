/// An ATmega328P, or a part like it, as a value: a copy is a snapshot, and equal values behave
/// identically.
///
/// Time is counted in clock cycles since power-on. Input arrives through `startBit`, `receive` and
/// `drive`; output is taken with `takeEvents`. Splitting a `run(until:)` in two changes nothing,
/// except that an instruction in progress at the split is completed.
package struct ATmega328P: Hashable, Sendable {
  var flash = Flash()
  /// The data space, one byte for each of `DataSpace.count` addresses: registers, an unused gap at
  /// the I/O registers, SRAM.
  var data = [UInt8](repeating: 0, count: DataSpace.count)
  var access = DataSpace.plainAccess
  var core = Core()
  var peripherals: Peripherals
  /// Whether wait loops and sleep are skipped. Without skipping, the result is the same but
  /// takes longer.
  package var skipsWaiting = true
  var waiting = Uncompared(WaitingMemory())
  var branches = Uncompared(BranchMarks())
  /// What the processor did; empty unless the run is recorded. An array, so that a chip without it
  /// is no larger.
  private var record = Uncompared<[RunRecord]>([])
  /// What a debugger looks for; empty without one. An array for the same reason.
  var probe = Uncompared<[ChipProbe]>([])
  /// The word address at which the chip starts, followed by that of the boot section.
  let resetVector: Int
  let bootSection: Int

  /// Creates a chip at power-on with these bytes in its flash.
  ///
  /// - Parameter bootloader: the byte address at which the chip starts if that is not 0. The
  ///   BOOTRST fuse is then programmed, and the boot section begins there.
  package init(
    flash segments: [(address: Int, bytes: [UInt8])], bootloader: Int? = nil,
    part: EmulatedPart = .atmega328p, rate: ClockRate = .uno
  ) {
    resetVector = (bootloader ?? 0) >> 1
    // An Uno's fuses give the boot section 512 bytes.
    bootSection = (bootloader ?? part.flashSize - 0x200) >> 1
    peripherals = Peripherals(part, rate)
    // Nothing is stored past the end of the SRAM.
    for address in (Int(part.sramEnd) + 1)..<DataSpace.sram.upperBound {
      access[address] = DataSpace.specialWrite
    }
    for segment in segments { flash.program(segment.bytes, at: segment.address) }
    reset(.powerOn)
  }

  /// Clock cycles since power-on.
  package var cycle: UInt64 { core.cycle }
  /// The byte address of the next instruction.
  package var programCounter: UInt16 { UInt16(truncatingIfNeeded: core.pc << 1) }
  package var stackPointer: UInt16 { core.sp }
  package var statusRegister: UInt8 { core.sreg }
  /// Why the chip cannot continue; nil while it can. Only a reset clears it.
  package var fault: Fault? { core.fault }
  package var isAsleep: Bool { core.isAsleep }
  /// A byte of the registers or SRAM, by its address in the data space; nil at any other address.
  package subscript(data address: UInt16) -> UInt8? {
    let address = Int(address)
    let isMemory = DataSpace.registers.contains(address) || DataSpace.sram.contains(address)
    return isMemory ? data[address] : nil
  }

  package mutating func watch(_ addresses: Range<UInt16>) {
    for address in addresses where DataSpace.sram.contains(Int(address)) {
      access[Int(address)] = DataSpace.specialWrite
    }
  }

  /// Reports calls of the function at a byte address of the flash as events.
  package mutating func watchEntry(at address: UInt16) { flash.markEntry(at: address) }

  /// Marks from now on which way the program takes at each instruction. That changes nothing but
  /// the running time.
  package mutating func followBranches() { branches.value.keep() }

  /// Calls `body` for each way that the program took, by a number: for each instruction, to the
  /// word behind its first, or elsewhere. None if they are not followed.
  package func forEachBranch(_ body: (UInt32) -> Void) { branches.value.forEach(body) }

  /// Records from now on what the processor does. That changes nothing but the running time.
  ///
  /// - Parameters:
  ///   - layout: where the program's memory is.
  ///   - loop: where `loop` is; nil if that is not known.
  ///   - wholly: whether the samples of the whole run are kept, and not only those of its end.
  package mutating func recordRun(
    _ layout: ProgramLayout = ProgramLayout(), loop: LoopCode?, wholly: Bool
  ) {
    guard record.value.isEmpty else { return }
    let samplesMax = wholly ? RunRecord.samplesMax : RunRecord.lastSamplesMax
    record.value.append(RunRecord(core, layout, loop: loop, samplesMax: samplesMax))
  }

  /// Forgets what the record has reported so far, as if the session began now.
  package mutating func beginReports() {
    guard !record.value.isEmpty else { return }
    peripherals.events = []
    record.value[0].beginReports()
  }

  /// Records nothing any more, and forgets what was recorded.
  package mutating func stopRecording() { record = Uncompared([]) }

  /// What the processor did since then; nil if the run is not recorded.
  package var runRecord: RunRecord? { record.value.first }

  /// Returns the changes of pins in a recorded run since the last call, and removes them.
  package mutating func takeEdges() -> [RunRecord.Edge] {
    record.value.isEmpty ? [] : record.value[0].takeEdges()
  }

  /// The same for what a recorded run reports.
  package mutating func takeNotes() -> [RunRecord.TimedNote] {
    record.value.isEmpty ? [] : record.value[0].takeNotes()
  }

  package static var partsMax: Int { Int(Parts.countMax) }
  package static var partKinds: [PartKind] { Parts.kinds }

  /// Whether there is such a part, and it can be there.
  package static func canAttach(_ kind: String, at place: PartPlace) -> Bool {
    var parts = Parts()
    return parts.connect(kind, place, .uno)
  }

  /// Connects a part. Returns false if there is no such part or place.
  package mutating func attach(_ kind: String, at place: PartPlace) -> Bool {
    let number = peripherals.parts.count
    guard peripherals.parts.connect(kind, place, peripherals.rate) else { return false }
    peripherals.tell(.powerOn, to: number, at: core.cycle)
    return true
  }

  /// Tells a part a value from now on, in millionths of its unit. Parts have numbers in the order
  /// in which they were attached.
  package mutating func set(part number: UInt8, to value: Int64) {
    peripherals.advance(to: core.cycle)
    peripherals.tell(.input(value), to: number, at: core.cycle)
  }

  /// Reports the levels of a part's channel from now on.
  package mutating func follow(part number: UInt8, channel: UInt8) {
    peripherals.advance(to: core.cycle)
    peripherals.tell(.follow(channel), to: number, at: core.cycle)
  }

  /// Adds noise to what the ADC measures.
  package mutating func add(_ noise: ADCNoise) { peripherals.noise = noise }

  /// Restarts the chip and holds it in reset for this many cycles, during which only time passes.
  package mutating func reset(_ cause: ResetCause, heldFor cycles: UInt64 = 0) {
    peripherals.reset(cause, at: core.cycle)
    core.cycle += cycles
    if cycles > 0 { peripherals.restart(at: core.cycle) }
    core.reset(at: resetVector, stack: peripherals.part.sramEnd)
    waiting.value = WaitingMemory(skipped: waiting.value.skipped)
    if !record.value.isEmpty { record.value[0].restart(core) }
    if !probe.value.isEmpty { probe.value[0].reset() }
  }

  /// Returns the events since the last call, in order of time, and removes them.
  package mutating func takeEvents() -> [TimedChipEvent] {
    defer { peripherals.events.removeAll(keepingCapacity: true) }
    return peripherals.events
  }

  /// Signals that a start bit begins on RXD now.
  package mutating func startBit() { noteLosses { $0.startBit(at: $1) } }

  /// Delivers a complete frame on RXD; its stop bit ends now.
  package mutating func receive(_ frame: ReceivedFrame) {
    noteLosses { $0.receive(frame, at: $1) }
  }

  private mutating func noteLosses(_ change: (inout Peripherals, UInt64) -> Void) {
    let count = record.value.isEmpty ? nil : peripherals.events.count
    change(&peripherals, core.cycle)
    guard let count else { return }
    record.value[0].noteLosses(peripherals.events[count...], peripherals.pending, core)
  }

  /// Delivers a byte on RXD; its stop bit ends now.
  package mutating func receive(_ byte: UInt8) { receive(ReceivedFrame(byte)) }

  /// Applies an external level to a pin from now on; nil disconnects it.
  package mutating func drive(_ pin: Pin, _ isHigh: Bool?) {
    peripherals.drive(pin, isHigh, at: core.cycle)
  }

  /// Applies a voltage to a pin from now on, in microvolts up to the supply's 5 000 000.
  package mutating func apply(microvolts: Int32, to pin: Pin) {
    peripherals.apply(microvolts: microvolts, to: pin, at: core.cycle)
  }

  /// Applies a voltage to the analog input ADC6 or ADC7, which has no digital pin, in microvolts up
  /// to the supply's 5 000 000. Only the chip in the square package has these inputs: that of a
  /// Nano or a Pro Mini, not that of an Uno.
  package mutating func apply(microvolts: Int32, toChannel channel: UInt8) {
    peripherals.apply(microvolts: microvolts, toChannel: channel, at: core.cycle)
  }

  /// USART0's speed in bits a second; nil while it is off.
  package var usartBaud: Int? { peripherals.usartBaud }
  /// The duration of a bit of USART0, in clock cycles.
  package var usartBitCycles: UInt64 { peripherals.usart.bitCycles }
  /// The format of USART0's frames in both directions.
  package var usartFormat: FrameFormat { peripherals.usart.format }
  /// Whether USART0 takes eight samples a bit (U2X0), and not 16.
  package var usartSamplesFast: Bool { peripherals.usart.samplesFast }
  /// Whether USART0 receives the frame on the line: its receiver was on when the frame began, and
  /// its clock runs.
  package var takesFrame: Bool { peripherals.takesFrame }
  /// Whether USART0 does not receive the frame on the line because its clock is or was stopped.
  package var hasStoppedFrame: Bool { peripherals.hasStoppedFrame }
  /// Whether USART0, if it receives this frame, ignores it because it takes only addresses.
  package func ignores(_ frame: ReceivedFrame) -> Bool { peripherals.usart.ignores(frame) }
  /// The number of frames that USART0 has received and the program has not read.
  package var unreadCount: Int { peripherals.usart.unreadCount }
  /// Whether the levels on RXD can have an effect other than through USART0: a change interrupts
  /// the program, or it has read the port.
  package var looksAtRXD: Bool {
    peripherals.external.PCMSK[Int(Pin.Port.D.rawValue)] & 1 << Pin.RXD.bit != 0
      || peripherals.hasReadPIND
  }
  /// Whether USART0's receiver is on.
  package var isReceiving: Bool { peripherals.usart.isReceiverOn }
  package var eeprom: [UInt8] {
    get { peripherals.EEPROM.contents }
    set { peripherals.EEPROM.contents = newValue }
  }

  /// The inputs with a pull-up whose changes interrupt the program, as those of a receiver by
  /// software.
  package var pinChangeInputs: [Pin] {
    Pin.Port.allCases.flatMap { port in
      let isOn = peripherals.external.PCICR & 1 << port.rawValue != 0
      let mask = isOn ? peripherals.external.PCMSK[Int(port.rawValue)] : 0
      let inputs = mask & peripherals.ports[port].PORT & ~peripherals.ports[port].outputs
      return (0..<8 as Range<UInt8>).filter { inputs & 1 << $0 != 0 }.map { Pin(port, $0) }
    }
  }

  package func level(of pin: Pin) -> Bool {
    var now = peripherals
    now.settleQuietOutputs(at: core.cycle)
    return now.level(of: pin)
  }

  package mutating func set(_ watch: PinWatch) { peripherals.set(watch, at: core.cycle) }
}

extension ATmega328P {
  /// Runs without looking for a stuck program.
  mutating func proceed(until target: UInt64) {
    while core.cycle < target && core.fault == nil {
      if peripherals.nextEvent <= core.cycle { peripherals.advance(to: core.cycle) }
      if let cause = peripherals.takePendingReset() {
        reset(cause)
        continue
      }
      let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
      if core.isAsleep {
        if canInterrupt {
          // "Sleep Modes": waking takes four cycles in addition to the interrupt's own.
          core.isAsleep = false
          peripherals.wake(at: core.cycle)
          core.cycle += 4
        } else {
          checkSleep()
          sleep(until: min(target, max(core.cycle + 1, peripherals.nextEvent)))
          if !record.value.isEmpty { record.value[0].slept(until: core.cycle) }
        }
      } else if canInterrupt && core.cycle >= core.interruptsFrom {
        enterInterrupt()
      } else if core.reception != nil {
        followReceivedByte()
      } else {
        // What is skipped has calls, too, and what leads to it is executed unseen.
        if skipsWaiting, record.value.isEmpty, comparedAddresses.isEmpty {
          skipWaiting(until: min(target, peripherals.nextEvent))
        }
        execute(until: target)
        if let operation = core.flashOperation {
          core.flashOperation = nil
          flash.apply(operation)
          if !probe.value.isEmpty { probe.value[0].programmed(flash) }
        }
      }
    }
    // Handles events that became due during an instruction that ran past the target.
    if peripherals.nextEvent < target, core.fault == nil { peripherals.advance(to: target - 1) }
  }

  /// Sleeps until a cycle before which no event is due.
  private mutating func sleep(until cycle: UInt64) {
    if skipsWaiting {
      noteSkipped(since: core.cycle, to: cycle)
      core.cycle = cycle
    } else {
      while core.cycle < cycle, !peripherals.isInterruptPending { core.cycle += 1 }
    }
  }

  private mutating func enterInterrupt() {
    guard let vector = peripherals.pendingVector() else { return }
    noteStarving(vector)
    let base = peripherals.system.vectorsInBootSection ? bootSection : 0
    let before = core
    data.withUnsafeMutableBufferPointer { data in
      core.interrupt(data.baseAddress!, to: base + Int(vector) * 2)
    }
    guard core.fault == nil else { return }
    if !probe.value.isEmpty { probe.value[0].enterInterrupt(from: before, core) }
    if !record.value.isEmpty {
      record.value[0].noteDue(peripherals.pending, at: core.cycle)
      record.value[0].interrupted(by: vector, from: before.byteAddress, core)
    }
    peripherals.acknowledge(vector, at: core.cycle)
    core.isReceiving = vector == Self.receiveVector
  }

  /// Reports that the program is starved, if it has executed only one instruction since the last
  /// interrupt for long enough.
  private mutating func noteStarving(_ vector: UInt8) {
    let before = waiting.value.starvingSince
    guard before != .max else { return }
    // One instruction takes at most five cycles.
    guard core.cycle < core.interruptsFrom &+ 5, core.interruptsFrom > 0 else {
      // Usually there is nothing to write, and a write asks whether the value is shared.
      if before != nil { waiting.value.starvingSince = nil }
      return
    }
    let since = before ?? core.cycle
    waiting.value.starvingSince = since
    guard core.cycle - since > UInt64(peripherals.rate.hertz / 10) else { return }
    waiting.value.starvingSince = .max
    peripherals.put(.starved(by: vector), at: core.cycle)
  }

  private static var receiveVector: UInt8 { 18 }

  /// Executes one instruction of the receive interrupt and tracks what happens to the byte.
  private mutating func followReceivedByte() {
    guard var reception = core.reception else { return }
    core.reception = nil
    let isOver = flash.plain(at: core.pc).operation == .reti
    let isKept = reception.follow(flash.plain(at: core.pc))
    step()
    if isOver {
      peripherals.events.append(
        TimedChipEvent(
          cycle: core.cycle,
          event: .dropped(reception.byte, hasParityError: reception.hasParityError)))
    } else if !isKept && core.reception == nil {
      core.reception = reception
    }
  }

  private mutating func step() { execute(until: core.cycle + 1) }

  private mutating func execute(until target: UInt64) {
    guard record.value.isEmpty else { return executeRecorded(until: target) }
    guard comparedAddresses.isEmpty else { return executeCompared(until: target) }
    withInterpreter { interpreter, core, peripherals in
      interpreter.run(&core, &peripherals, until: target)
    }
  }

  /// Executes in the same way, one instruction at a time.
  @inline(never)
  private mutating func executeRecorded(until target: UInt64) {
    var record = record.value.removeLast()
    record.noteDue(peripherals.pending, at: core.cycle)
    withInterpreter { interpreter, core, peripherals in
      while core.cycle < Interpreter.deadline(core, peripherals, target) {
        let pc = core.byteAddress
        let instruction = interpreter.plain[core.pc]
        let count = peripherals.events.count
        record.takes(instruction, at: pc, core, interpreter.data)
        interpreter.run(&core, &peripherals, until: core.cycle + 1)
        record.took(
          instruction, at: pc, core, interpreter.data, peripherals, eventsBefore: count)
        record.noteDue(peripherals.pending, at: core.cycle)
      }
    }
    self.record.value.append(record)
  }

  /// The addresses whose values a debugger compares after each instruction.
  private var comparedAddresses: [UInt16] {
    probe.value.isEmpty ? [] : probe.value[0].compared
  }

  /// Executes in the same way, one instruction at a time, and compares those values.
  @inline(never)
  private mutating func executeCompared(until target: UInt64) {
    let addresses = comparedAddresses
    withInterpreter { interpreter, core, peripherals in
      func value(_ address: UInt16) -> UInt8 {
        let isRegister = DataSpace.registers.contains(Int(address))
        return isRegister ? interpreter.data[Int(address)] : core[data: address]
      }
      var values = addresses.map { value($0) }
      while core.cycle < Interpreter.deadline(core, peripherals, target) {
        let cycle = core.cycle
        interpreter.run(&core, &peripherals, until: cycle + 1)
        for (index, address) in addresses.enumerated() where value(address) != values[index] {
          values[index] = value(address)
          interpreter.probe?.pointee.access(cycle)
        }
      }
    }
  }

  @inline(__always)
  mutating func withInterpreter(
    _ body: (Interpreter, inout Core, inout Peripherals) -> Void
  ) {
    data.withUnsafeMutableBufferPointer { data in
      access.withUnsafeBufferPointer { access in
        flash.withCode { code, plain, words in
          var interpreter = Interpreter(
            code: code, plain: plain, words: words, data: data.baseAddress!,
            access: access.baseAddress!)
          guard probe.value.isEmpty else {
            return probe.value.withUnsafeMutableBufferPointer { probes in
              ProbeMarks.attach(probes.baseAddress!, to: interpreter) {
                body($0, &core, &peripherals)
              }
            }
          }
          guard branches.value.areKept else { return body(interpreter, &core, &peripherals) }
          branches.value.withMemory {
            interpreter.branches = $0
            body(interpreter, &core, &peripherals)
          }
        }
      }
    }
  }
}

extension ATmega328P {
  /// Runs like `run(until:)`, but one instruction at a time, and returns true as soon as the next
  /// instruction is at one of these byte addresses. `run(until: cycle + 1)` then executes it.
  package mutating func run(until target: UInt64, before addresses: Set<UInt16>) -> Bool {
    while core.cycle < target && core.fault == nil {
      if addresses.contains(programCounter) && executesNext() { return true }
      let isResting = core.isAsleep && !peripherals.isInterruptPending
      let step = core.cycle + 1
      run(until: min(target, isResting ? max(step, peripherals.nextEvent) : step))
    }
    return false
  }

  /// Whether an instruction is executed next, rather than an interrupt or a reset.
  private mutating func executesNext() -> Bool {
    guard !core.isAsleep else { return false }
    peripherals.advance(to: core.cycle)
    let canInterrupt = core.sreg & StatusRegister.I != 0 && peripherals.isInterruptPending
    return !peripherals.watchdog.asksForReset
      && !(canInterrupt && core.cycle >= core.interruptsFrom)
  }
}

extension ATmega328P {
  /// The loop in which the program last waited, and how many attempts to skip have failed in a row.
  struct WaitingMemory: Sendable {
    var loop: PollLoop?
    var failures = 0
    /// Whether `ChipEvent.stuck` has been reported since the last restart.
    var hasReportedStuck = false
    /// When interrupts began to follow each other without a break; nil while they do not, and
    /// `.max` once that was reported.
    var starvingSince: UInt64?
    /// The cycles of sleep and of wait loops that took no time to emulate.
    var skipped: UInt64 = 0
  }

  /// Shorter waits, in cycles, are not worth skipping.
  private static let waitMin: UInt64 = 600
  /// After this many failed attempts, only one in sixteen is made.
  private static let patience = 4

  /// Skips the iterations of a wait loop that end by `deadline`, before which no event is due. The
  /// resulting state is exactly what executing them would have produced.
  mutating func skipWaiting(until deadline: UInt64) {
    guard deadline > core.cycle + Self.waitMin else { return }
    if waiting.value.failures > Self.patience {
      waiting.value.failures += 1
      guard waiting.value.failures % 16 == 0 else { return }
    }
    let memory = waiting.value
    let start = core.cycle
    var found: PollLoop?
    withInterpreter { interpreter, core, peripherals in
      let skipper = WaitLoopSkipper(interpreter: interpreter, deadline: deadline)
      found = skipper.skip(from: memory.loop, &core, &peripherals)
    }
    waiting.value.loop = found ?? memory.loop
    waiting.value.failures = found == nil ? memory.failures + 1 : 0
    if found != nil { noteSkipped(since: start, to: core.cycle) }
  }

  /// To skip takes about as long as this many cycles do.
  private static let skipCost: UInt64 = 500

  private mutating func noteSkipped(since start: UInt64, to end: UInt64) {
    guard end > start + Self.skipCost else { return }
    waiting.value.skipped += end - start - Self.skipCost
  }

  /// About how many cycles were executed since power-on, without sleep and wait loops that were
  /// skipped. How long an emulation takes follows from it, and nothing else.
  package var executedCycles: UInt64 { core.cycle - waiting.value.skipped }
}

/// A value that affects only its owner's speed, such as a cache. All values compare equal, so it
/// does not take part in comparing its owners.
package struct Uncompared<Value: Sendable>: Hashable, Sendable {
  package var value: Value

  package init(_ value: Value) { self.value = value }

  package static func == (left: Self, right: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}

// A program is stuck if, with interrupts off, it repeats the same instructions without reading
// anything that can change. Whether it is follows from the chip's state alone, so that the report
// depends neither on how a run is split nor on whether waiting is skipped.
extension ATmega328P {
  /// Shorter runs, in cycles, such as a debugger's steps do not check for a stuck program.
  private static let runMin: UInt64 = 64

  /// Executes every instruction that begins before `target`, or stops at a fault. The last
  /// instruction can end a few cycles after `target`.
  package mutating func run(until target: UInt64) {
    guard !waiting.value.hasReportedStuck, target > core.cycle + Self.runMin else {
      return proceed(until: target)
    }
    var before = self
    // Its marks do not matter here, and to copy them takes long.
    before.branches = Uncompared(BranchMarks())
    before.record = Uncompared([])
    before.probe = Uncompared([])
    proceed(until: target)
    guard !waiting.value.hasReportedStuck, stuckLoop != nil else { return }
    let entered = Self.firstStuck(between: before, and: self)
    guard let loop = entered.stuckLoop else { return }
    waiting.value.hasReportedStuck = true
    peripherals.insert(
      .stuck(at: UInt16(truncatingIfNeeded: loop << 1), isAsleep: false), at: entered.cycle)
  }

  /// The word address of the loop that the program can never leave; nil if it is not in one.
  private var stuckLoop: Int? {
    guard core.fault == nil, !core.isAsleep, core.sreg & StatusRegister.I == 0,
      !peripherals.watchdog.isRunning, !peripherals.selfProgramming.overridesProgramMemory
    else { return nil }
    var copy = self
    copy.probe = Uncompared([])
    // What happens to a received byte changes nothing here.
    copy.core.reception = nil
    var loop: Int?
    copy.withInterpreter { interpreter, core, peripherals in
      loop = interpreter.endlessLoop(&core, &peripherals)
    }
    return loop
  }

  /// Returns the chip after the instruction with which it entered the loop; `late` if none is found
  /// earlier.
  private static func firstStuck(between early: ATmega328P, and late: ATmega328P) -> ATmega328P {
    if early.stuckLoop != nil { return early }
    var early = early
    var found = late
    var range = early.cycle..<late.cycle
    while range.upperBound - range.lowerBound > 1 {
      let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
      var chip = early
      chip.proceed(until: middle)
      if chip.stuckLoop != nil {
        found = chip
        range = range.lowerBound..<middle
      } else {
        early = chip
        range = middle..<range.upperBound
      }
    }
    return found
  }

  /// Called when the CPU goes to sleep. Reports the program as stuck if only a restart can wake the
  /// CPU.
  mutating func checkSleep() {
    guard !waiting.value.hasReportedStuck, core.sreg & StatusRegister.I == 0,
      !peripherals.watchdog.isRunning
    else { return }
    waiting.value.hasReportedStuck = true
    // SLEEP is the previous instruction.
    peripherals.put(.stuck(at: core.byteAddress &- 2, isAsleep: true), at: core.cycle)
  }
}

extension Interpreter {
  /// Executes until the program returns to the same state without having read I/O. Returns the word
  /// address of that loop, the lowest of its outermost function; nil if it does anything else or
  /// the loop is too long to be recognized.
  fileprivate func endlessLoop(_ core: inout Core, _ peripherals: inout Peripherals) -> Int? {
    let start = core
    let registers = Array(UnsafeBufferPointer(start: data, count: DataSpace.registers.count))
    // The original content of each byte that the loop overwrites.
    var overwritten: [(address: Int, byte: UInt8)] = []
    func keep(_ address: Int) {
      if !overwritten.contains(where: { $0.address == address }) {
        overwritten.append((address, data[address]))
      }
    }
    var head = (sp: core.sp, pc: core.pc)
    for _ in 0..<PollLoop.stepsMax {
      let instruction = code[core.pc]
      let effect = effect(of: instruction, core, peripherals)
      if effect.isForbidden || effect.readsIO { return nil }
      if let address = effect.stores { keep(Int(address)) }
      if instruction.operation.pushesReturnAddress, core.sp > 0 {
        keep(Int(core.sp))
        keep(Int(core.sp) - 1)
      }
      if core.sp > head.sp || (core.sp == head.sp && core.pc < head.pc) {
        head = (core.sp, core.pc)
      }
      peripherals.advance(to: core.cycle)
      run(&core, &peripherals, until: core.cycle + 1)
      guard core.fault == nil, core.sreg & StatusRegister.I == 0 else { return nil }
      if core.pc == start.pc, core.sp == start.sp, core.sreg == start.sreg,
        registers.indices.allSatisfy({ data[$0] == registers[$0] }),
        overwritten.allSatisfy({ data[$0.address] == $0.byte })
      {
        return head.pc
      }
    }
    return nil
  }
}
