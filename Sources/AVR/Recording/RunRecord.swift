/// What the processor did in a recorded run: calls, interrupts, stretches with interrupts off, and
/// how deep the stack was.
///
/// A recorded run executes the same instructions as any other, one at a time. The record is not a
/// part of the chip's state: it changes nothing but the running time.
package struct RunRecord: Sendable {
  /// A call or an interrupt that has not returned.
  package struct Frame: Hashable, Sendable {
    /// Its place in the tree of calls.
    package var node: Int32
    /// The stack pointer before the return address was stored.
    package var stack: UInt16
    /// The word address to which it returns.
    var back: UInt16
    package var begin: UInt64
    /// If it is an interrupt: how long it had to wait.
    package var delay: Delay?
  }

  /// A place in the program, with the calls that led there.
  package struct Place: Hashable, Sendable {
    /// The innermost call, in the tree of calls.
    package var node: Int32
    /// The byte address of the instruction.
    package var pc: UInt16
  }

  /// A stretch in which the program had interrupts off, or an interrupt ran.
  package struct Stretch: Hashable, Sendable {
    package var begin: UInt64
    /// When it ended, or how far it has got.
    package var end: UInt64
    /// The instruction that switched interrupts off, or the interrupt's first.
    package var start: Place
    /// If it is an interrupt that took some time: the innermost call that took most of it.
    package var most: Place?
    /// The interrupt that it is; nil if the program switched interrupts off.
    package var vector: UInt8?
    package var isOver = false
    /// Shorter ones are over before it is known what they call.
    static let settling: UInt64 = 320

    package var length: UInt64 { end - begin }
  }

  /// An interrupt that had to wait.
  package struct Delay: Hashable, Sendable {
    package var vector: UInt8
    /// Since when it was due, to within an instruction.
    package var since: UInt64
    package var end: UInt64
    /// The stretch that took most of that time; nil if none took more than half of it.
    package var blocker: Stretch?

    package var length: UInt64 { end - since }
  }

  /// A change of a pin by an instruction.
  package struct Edge: Hashable, Sendable {
    package var cycle: UInt64
    package var pin: Pin
    package var place: Place
    /// The interrupt in which the instruction is; nil if it is in none.
    package var vector: UInt8?
    package var delay: Delay?
  }

  /// What is reported as it happens.
  package enum Note: Hashable, Sendable {
    /// The longest stretch since the first one of the program's own was over.
    case off(Stretch)
    /// The longest turn of `loop` so far, in cycles.
    case turn(UInt64, isOver: Bool)
    /// A byte was lost because USART0's buffers were full. Its interrupt had been due since a
    /// cycle; nil if the program reads the bytes without one, or if it was just being read.
    case overrun(Delay?)
    /// What a correct program does not do, at a place.
    case memory(MemoryFault, Place)
  }

  package struct TimedNote: Hashable, Sendable {
    package var cycle: UInt64
    package var note: Note
  }

  /// Where the program was, from the sample before until a cycle; nil if it was asleep.
  struct Sample: Hashable, Sendable {
    var end: UInt64
    var place: Place?
  }

  /// The lowest the stack pointer was, and the calls at that moment.
  package struct Depth: Hashable, Sendable {
    package var stack: UInt16
    package var place: Place
    package var frames: [Frame]
    package var cycle: UInt64
  }

  /// How near the stack came to what is below it.
  package struct Room: Hashable, Sendable {
    /// The bytes between them; less than 0 if the stack was in it.
    package var bytes: Int
    /// Whether the heap was below it, and not the static variables.
    package var isHeap: Bool
    package var cycle: UInt64
  }

  /// The cycles between two samples: half a millisecond at 16 MHz.
  package static let samplePeriod: UInt64 = 8_000
  /// About half an hour, if no two samples are the same.
  static let samplesMax = 4_000_000
  /// About the last ten to twenty seconds.
  static let lastSamplesMax = 40_000
  /// An interrupt that waited no longer than this was not blocked: an instruction takes up to five
  /// cycles, and the shortest interrupts of Arduino's core some 60.
  private static let patience: UInt64 = 80
  /// As many return addresses as the SRAM holds.
  private static let framesMax = 1_024
  /// Shorter turns of `loop` are told only if there was none before: 0.1 ms at 16 MHz.
  private static let turnMin: UInt64 = 1_600

  package private(set) var tree = CallTree()
  /// The outermost first.
  package private(set) var frames: [Frame] = []
  /// The cycle at which each interrupt became due that waits now.
  private var dueSince = [UInt64](repeating: 0, count: 32)
  private var due: UInt32 = 0
  /// The present stretch; nil while interrupts are on.
  package private(set) var stretch: Stretch?
  /// How its time was spent.
  private var shares = TimeShares()
  /// The last stretches, for the interrupts that waited for them.
  private var recent: [Stretch] = []
  /// Whether interrupts have been on since the start: the stretch before is the start-up's.
  private var hasBegun = false
  private var longestOff: UInt64 = 0
  private var longestTurn: UInt64 = 0
  /// When the present turn of `loop` began; nil if none goes on.
  package private(set) var turnBegin: UInt64?
  private var samples: [Sample] = []
  /// What was before this cycle is not known.
  private var samplesBegin: UInt64
  private var nextSample: UInt64
  private var edges: [Edge] = []
  private var notes: [TimedNote] = []
  package private(set) var deepest: Depth?
  /// Nil if it is not known where the static variables end.
  package private(set) var nearest: Room?
  /// The lowest the stack pointer was since the heap last changed.
  private var lowest = UInt16.max
  /// The half of the stack pointer that has been written, if the other has not.
  private var writtenHalf: Int?
  private let layout: ProgramLayout
  /// Where the heap ends; 0 if there is none.
  private var heapEnd: UInt16 = 0
  private(set) var memory: MemoryWatch
  /// The stack pointer before its first half was written.
  private var stackBefore: UInt16 = 0
  /// Whether what is written to it was computed from it.
  private var movesFromStack = true
  /// Whether the program has stacks of its own, as one with tasks: it has set the stack pointer to
  /// a lower address from somewhere else. What is on the stack then is not known.
  package private(set) var hasOwnStacks = false
  /// The code outside of which nothing is executed; empty if that is not known.
  private var code: [Range<UInt32>]
  /// The places of faults that have been reported.
  private var reported: [UInt16] = []
  private var hasReportedStack = false
  private var hasReportedNesting = false

  /// More faults say no more.
  private static let reportsMax = 16
  /// An interrupt that others interrupt, or that comes again before it has quite returned, has
  /// interrupted itself less often.
  private static let nestingMax = 8
  /// The byte address of `loop`; nil if it is not a function of its own.
  private var loopEntry: UInt16?
  /// Where each instruction is if `loop` is a part of another function, by word address; empty
  /// otherwise.
  private var loopParts: [LoopPart] = []
  private let samplesMax: Int

  private enum LoopPart: UInt8 {
    case elsewhere, begin, between
  }

  /// Begins with a chip in its present state: with no calls, if it has just been reset.
  init(
    _ core: Core, _ layout: ProgramLayout, loop: LoopCode?, samplesMax: Int
  ) {
    self.layout = layout
    code = layout.code
    memory = MemoryWatch(core, layout)
    self.samplesMax = samplesMax
    samplesBegin = core.cycle
    nextSample = core.cycle + Self.samplePeriod
    if core.sreg & StatusRegister.I == 0 {
      stretch = Stretch(begin: core.cycle, end: core.cycle, start: place(core.byteAddress))
    } else {
      hasBegun = true
    }
    switch loop {
    case .called(let address): loopEntry = address
    case .inlined(let begin, let between):
      loopParts = Array(repeating: .elsewhere, count: Flash.wordCount)
      for address in begin { loopParts[Int(address / 2)] = .begin }
      for address in between { loopParts[Int(address / 2)] = .between }
    case nil: break
    }
  }

  private func place(_ pc: UInt16) -> Place { Place(node: frames.last?.node ?? 0, pc: pc) }

  // MARK: What the chip tells

  /// Takes an instruction at a byte address that is about to be executed.
  mutating func takes(
    _ instruction: Instruction, at pc: UInt16, _ core: Core, _ data: UnsafePointer<UInt8>
  ) {
    let place = place(pc)
    if let use = memory.take(instruction, core, data, at: place) {
      report(.unset(use), at: place, core.cycle)
    }
    switch instruction.operation {
    case .ret, .reti: checkReturn(core, data, place)
    case .out, .sts:
      guard instruction.k == DataSpace.SPL || instruction.k == DataSpace.SPH else { break }
      if writtenHalf == nil { (stackBefore, movesFromStack) = (core.sp, true) }
      if !memory.isFromStack(instruction.d) { movesFromStack = false }
    case .spm, .spmIncrement: code = []
    default: break
    }
  }

  /// Takes what the last instruction did, which was at a byte address.
  mutating func took(
    _ instruction: Instruction, at pc: UInt16, _ core: Core, _ data: UnsafePointer<UInt8>,
    _ peripherals: Peripherals, eventsBefore count: Int
  ) {
    let cycle = core.cycle
    checkJump(core, from: pc)
    var last = pc
    switch instruction.operation {
    case .call, .rcall, .icall:
      writtenHalf = nil
      last = core.byteAddress
      // A call of the next instruction only makes room on the stack.
      let isRoom = core.byteAddress == pc &+ 2 && instruction.operation != .icall
      memory.pushReturn(at: core.sp &+ 2, isRoom: isRoom)
      if !isRoom {
        enter(
          core.byteAddress, from: pc, stack: core.sp &+ 2,
          back: pc / 2 &+ UInt16(instruction.words), vector: nil, at: cycle)
      }
    case .ret, .reti:
      writtenHalf = nil
      memory.discard(from: core.sp &- 2, to: core.sp)
      leave(core)
      followHeap(core, data)
    case .push, .pop: writtenHalf = nil
    case .out, .sts: noteStack(Int(instruction.k), core)
    default: break
    }
    if core.sp < lowest, writtenHalf == nil { deepen(core, at: last) }
    let isOff = core.sreg & StatusRegister.I == 0
    if isOff != (stretch != nil) {
      if isOff { begin(at: pc, cycle, vector: nil) } else { endStretch(at: cycle) }
    } else if isOff {
      follow(at: core.byteAddress, cycle)
    }
    if !loopParts.isEmpty { followLoop(core) }
    if cycle >= nextSample { sample(core) }
    if peripherals.events.count > count { noteEdges(peripherals.events[count...], at: pc) }
  }

  /// Notes which interrupts are due.
  mutating func noteDue(_ pending: UInt32, at cycle: UInt64) {
    guard pending != due else { return }
    var new = pending & ~due
    due = pending
    while new != 0 {
      dueSince[new.trailingZeroBitCount] = cycle
      new &= new - 1
    }
  }

  /// Notes that an interrupt was entered from the instruction at a byte address.
  mutating func interrupted(by vector: UInt8, from pc: UInt16, _ core: Core) {
    let cycle = core.cycle
    writtenHalf = nil
    // Entering takes four cycles.
    let since = due >> UInt32(vector) & 1 == 1 ? min(dueSince[Int(vector)], cycle - 4) : cycle - 4
    due &= ~(1 << UInt32(vector))
    var delay = Delay(vector: vector, since: since, end: cycle - 4)
    if delay.length > Self.patience { delay.blocker = blocker(of: delay) }
    memory.pushReturn(at: core.sp &+ 2)
    enter(
      core.byteAddress, from: pc, stack: core.sp &+ 2, back: pc / 2, vector: vector, at: cycle)
    checkNesting(vector, at: cycle)
    if delay.length > Self.patience { frames[frames.count - 1].delay = delay }
    begin(at: core.byteAddress, cycle - 4, vector: vector)
    if core.sp < lowest { deepen(core, at: core.byteAddress) }
  }

  mutating func beginReports() {
    _ = (takeEdges(), takeNotes())
    (longestOff, longestTurn) = (0, 0)
  }

  mutating func restart(_ core: Core) {
    if hasBegun, let open = stretch(until: core.cycle) { noteOff(open, at: core.cycle) }
    frames = []
    (due, turnBegin, hasBegun, writtenHalf) = (0, nil, false, nil)
    (heapEnd, lowest) = (0, .max)
    hasOwnStacks = false
    memory.restart()
    stretch = Stretch(begin: core.cycle, end: core.cycle, start: place(core.byteAddress))
  }

  // MARK: Calls

  private mutating func enter(
    _ entry: UInt16, from site: UInt16, stack: UInt16, back: UInt16, vector: UInt8?,
    at cycle: UInt64
  ) {
    unwind(to: stack)
    guard frames.count < Self.framesMax else { return }
    let call = CallTree.Call(site: site, entry: entry, vector: vector)
    let node = tree.child(of: frames.last?.node ?? 0, call)
    frames.append(Frame(node: node, stack: stack, back: back, begin: cycle))
    // `loop` can call itself.
    if turnBegin == nil, vector == nil, entry == loopEntry { turnBegin = cycle }
  }

  private mutating func leave(_ core: Core) {
    unwind(to: core.sp)
    guard let loopEntry, turnBegin != nil,
      !frames.contains(where: { tree[$0.node].call.entry == loopEntry })
    else { return }
    endTurn(at: core.cycle)
    turnBegin = nil
  }

  /// Ends the calls whose return addresses are above the stack: they have returned, or the program
  /// has left them as `longjmp` does.
  private mutating func unwind(to stack: UInt16) {
    while let frame = frames.last, frame.stack <= stack { frames.removeLast() }
  }

  // MARK: Interrupts off

  /// The present stretch if it goes on for some time, and is not the start-up's.
  package func openStretch(at cycle: UInt64) -> Stretch? {
    guard hasBegun, let begin = stretch?.begin, cycle - begin >= Stretch.settling else {
      return nil
    }
    return stretch(until: cycle)
  }

  /// The present stretch, if there is one, up to a cycle.
  private func stretch(until cycle: UInt64) -> Stretch? {
    guard var found = stretch else { return nil }
    found.end = cycle
    if found.vector != nil, found.length >= Stretch.settling {
      found.most = shares.most(from: found.start, tree)
    }
    return found
  }

  private mutating func begin(at pc: UInt16, _ cycle: UInt64, vector: UInt8?) {
    stretch = Stretch(begin: cycle, end: cycle, start: place(pc), vector: vector)
    shares.begin(at: cycle)
  }

  private mutating func follow(at pc: UInt16, _ cycle: UInt64) {
    guard let begin = stretch?.begin else { return }
    if stretch?.vector != nil { shares.add(place(pc), until: cycle) }
    // One that does not end is told each time it has doubled.
    guard hasBegun, cycle - begin >= max(2 * longestOff, 16_000),
      let open = stretch(until: cycle)
    else { return }
    noteOff(open, at: cycle)
  }

  private mutating func endStretch(at cycle: UInt64) {
    guard var over = stretch(until: cycle) else { return }
    stretch = nil
    over.isOver = true
    guard hasBegun else {
      hasBegun = true
      return
    }
    if over.length > Self.patience {
      if recent.count >= 32 { recent.removeFirst(16) }
      recent.append(over)
    }
    noteOff(over, at: cycle)
  }

  private mutating func noteOff(_ found: Stretch, at cycle: UInt64) {
    guard found.length > longestOff, longestOff == 0 || found.length > Self.patience else { return }
    longestOff = found.length
    notes.append(TimedNote(cycle: cycle, note: .off(found)))
  }

  /// The stretch that took most of the time for which an interrupt waited.
  private func blocker(of delay: Delay) -> Stretch? {
    var most: (stretch: Stretch, time: UInt64)?
    var stretches = recent
    if let open = stretch(until: delay.end) { stretches.append(open) }
    for stretch in stretches where stretch.end > delay.since {
      let time = min(stretch.end, delay.end) - min(max(stretch.begin, delay.since), delay.end)
      if time > most?.time ?? 0 { most = (stretch, time) }
    }
    return most.flatMap { $0.time * 2 > delay.length ? $0.stretch : nil }
  }

  /// Notes the bytes that were lost as one arrived.
  mutating func noteLosses(_ events: ArraySlice<TimedChipEvent>, _ pending: UInt32, _ core: Core) {
    noteDue(pending, at: core.cycle)
    let vector: UInt8 = 18
    for event in events {
      guard case .overrun = event.event else { continue }
      var delay: Delay?
      if due >> UInt32(vector) & 1 == 1 {
        var found = Delay(vector: vector, since: dueSince[Int(vector)], end: core.cycle)
        found.blocker = blocker(of: found)
        delay = found
      }
      notes.append(TimedNote(cycle: event.cycle, note: .overrun(delay)))
    }
  }

  // MARK: The loop

  /// Follows a `loop` that is a part of another function.
  private mutating func followLoop(_ core: Core) {
    guard loopParts.indices.contains(core.pc) else { return }
    switch loopParts[core.pc] {
    case .elsewhere: break
    case .begin: if turnBegin == nil { turnBegin = core.cycle }
    case .between:
      endTurn(at: core.cycle)
      turnBegin = nil
    }
  }

  private mutating func endTurn(at cycle: UInt64) {
    guard let begin = turnBegin, cycle - begin > longestTurn,
      longestTurn == 0 || cycle - begin >= Self.turnMin
    else { return }
    longestTurn = cycle - begin
    notes.append(TimedNote(cycle: cycle, note: .turn(longestTurn, isOver: true)))
  }

  // MARK: Samples

  private mutating func sample(_ core: Core) {
    addSample(place(core.byteAddress), at: core.cycle)
  }

  private mutating func addSample(_ place: Place?, at cycle: UInt64) {
    nextSample = cycle + Self.samplePeriod
    if let last = samples.last, last.place == place {
      samples[samples.count - 1].end = cycle
    } else {
      if samples.count >= samplesMax {
        samplesBegin = samples[samplesMax / 2 - 1].end
        samples.removeFirst(samplesMax / 2)
      }
      samples.append(Sample(end: cycle, place: place))
    }
    guard let turnBegin, cycle - turnBegin >= max(2 * longestTurn, 16_000) else { return }
    longestTurn = cycle - turnBegin
    notes.append(TimedNote(cycle: cycle, note: .turn(longestTurn, isOver: false)))
  }

  /// Notes that the chip has slept until a cycle.
  mutating func slept(until cycle: UInt64) {
    guard cycle >= nextSample else { return }
    // The last sample that was due while it slept.
    addSample(nil, at: cycle - (cycle - nextSample) % Self.samplePeriod)
  }

  /// Where the program was in a period, and for how many cycles; nil for where it was asleep.
  package func places(from begin: UInt64, to end: UInt64) -> [(place: Place?, cycles: UInt64)] {
    var low = 0
    var high = samples.count
    while low < high {
      let middle = (low + high) / 2
      if samples[middle].end <= begin { low = middle + 1 } else { high = middle }
    }
    var found: [(place: Place?, cycles: UInt64)] = []
    var last = max(begin, samplesBegin)
    for sample in samples[low...] where last < end {
      // What ran after the period says nothing about it.
      if sample.end > end, end - last < Self.samplePeriod { break }
      let next = min(sample.end, end)
      found.append((sample.place, next - last))
      last = next
    }
    return found
  }

  // MARK: The stack

  private mutating func noteStack(_ address: Int, _ core: Core) {
    guard address == DataSpace.SPH || address == DataSpace.SPL else { return }
    writtenHalf = writtenHalf == nil || writtenHalf == address ? address : nil
    guard writtenHalf == nil else { return }
    if core.sp < stackBefore, !movesFromStack, !frames.isEmpty {
      hasOwnStacks = true
      nearest = nil
      memory.noteTasks()
    }
    guard core.sp > stackBefore, !hasOwnStacks else { return }
    // As `longjmp` does; tasks can do so before it is known that they are there.
    let leavesCalls = frames.last.map { $0.stack <= core.sp } ?? true
    if leavesCalls {
      unwind(to: core.sp)
    } else {
      memory.discard(from: stackBefore, to: core.sp)
    }
  }

  /// Follows the heap when a function returns, as those that change it do. An interrupt can come
  /// between the two halves of its end.
  private mutating func followHeap(_ core: Core, _ data: UnsafePointer<UInt8>) {
    guard let end = layout.heapEnd, !frames.contains(where: { tree[$0.node].call.vector != nil })
    else { return }
    let new = UInt16(data[Int(end)]) | UInt16(data[Int(end) + 1]) << 8
    guard new != heapEnd else { return }
    heapEnd = new
    memory.heapEnd = max(new, layout.staticEnd ?? 0)
    lowest = .max
  }

  private mutating func deepen(_ core: Core, at pc: UInt16) {
    lowest = core.sp
    guard !hasOwnStacks else { return }
    if core.sp < deepest?.stack ?? .max {
      deepest = Depth(stack: core.sp, place: place(pc), frames: frames, cycle: core.cycle)
    }
    guard let staticEnd = layout.staticEnd else { return }
    // The byte at the stack pointer is free.
    let room = Int(core.sp) + 1 - Int(max(staticEnd, heapEnd))
    if room < 0, !hasReportedStack {
      hasReportedStack = true
      report(.stack(isInHeap: heapEnd > staticEnd), at: place(pc), core.cycle)
    }
    guard room < nearest?.bytes ?? .max else { return }
    nearest = Room(bytes: room, isHeap: heapEnd > staticEnd, cycle: core.cycle)
  }

  // MARK: Faults

  private mutating func report(_ fault: MemoryFault, at place: Place, _ cycle: UInt64) {
    guard reported.count < Self.reportsMax, !reported.contains(place.pc) else { return }
    reported.append(place.pc)
    notes.append(TimedNote(cycle: cycle, note: .memory(fault, place)))
  }

  /// Checks that a return leads to where the call came from, unless the function has itself pushed
  /// another address.
  private mutating func checkReturn(
    _ core: Core, _ data: UnsafePointer<UInt8>, _ place: Place
  ) {
    guard !hasOwnStacks, core.sp &- 0xFF < 0x7FF else { return }
    let back = UInt16(data[Int(core.sp) + 1]) << 8 | UInt16(data[Int(core.sp) + 2])
    let stack = core.sp + 2
    let frame = frames.last { $0.stack >= stack }
    let writer = memory.overwriter(at: stack)
    let isOverwritten = frame.map { $0.stack == stack && $0.back != back } ?? false
    guard isOverwritten && writer != nil || memory.isTorn(at: core.sp) else { return }
    report(.wrongReturn(to: back << 1, by: writer), at: place, core.cycle)
  }

  private mutating func checkJump(_ core: Core, from pc: UInt16) {
    guard !code.isEmpty else { return }
    var target = UInt32(core.byteAddress)
    if case .jumpOutside(let address) = core.fault?.cause { target = address }
    guard !isCode(target), isCode(UInt32(pc)) else { return }
    report(.jump(to: target), at: place(pc), core.cycle)
  }

  private func isCode(_ address: UInt32) -> Bool { code.contains { $0.contains(address) } }

  private mutating func checkNesting(_ vector: UInt8, at cycle: UInt64) {
    guard !hasReportedNesting, !hasOwnStacks, frames.count > Self.nestingMax,
      let frame = frames.last
    else { return }
    let count = frames.count { tree[$0.node].call.vector == vector }
    guard count > Self.nestingMax else { return }
    hasReportedNesting = true
    let pc = tree[frame.node].call.entry
    report(.nested(vector: vector, count: count), at: Place(node: frame.node, pc: pc), cycle)
  }

  // MARK: Pins

  private mutating func noteEdges(_ events: ArraySlice<TimedChipEvent>, at pc: UInt16) {
    for event in events {
      guard case .pin(let pin, _) = event.event else { continue }
      let interrupt = frames.last { tree[$0.node].call.vector != nil }
      edges.append(
        Edge(
          cycle: event.cycle, pin: pin, place: place(pc),
          vector: interrupt.flatMap { tree[$0.node].call.vector }, delay: interrupt?.delay))
    }
  }

  mutating func takeEdges() -> [Edge] {
    defer { edges.removeAll(keepingCapacity: true) }
    return edges
  }

  mutating func takeNotes() -> [TimedNote] {
    defer { notes.removeAll(keepingCapacity: true) }
    return notes
  }
}

/// Where a program's file says that its memory is.
package struct ProgramLayout: Hashable, Sendable {
  /// The address behind the static variables, in the data space; nil if it is not known.
  package var staticEnd: UInt16?
  /// The address of the variable in which `malloc` keeps the end of the heap; nil if there is none.
  package var heapEnd: UInt16?
  /// The byte addresses of the code in the flash; empty if they are not known.
  package var code: [Range<UInt32>] = []

  package init() {}
}

/// The calls of a program, each with those that it makes.
package struct CallTree: Sendable {
  package struct Call: Hashable, Sendable {
    /// The byte address of the calling instruction, or of the one before which an interrupt came.
    package var site: UInt16
    /// The byte address of the function, or of the interrupt's vector.
    package var entry: UInt16
    /// The interrupt; nil for a call.
    package var vector: UInt8?
  }

  package struct Node: Sendable {
    package var call: Call
    /// The root is its own parent.
    package var parent: Int32
    fileprivate var firstChild: Int32 = 0
    fileprivate var sibling: Int32 = 0
  }

  /// A program that calls itself without end is followed no deeper.
  private static let countMax = 60_000

  /// The first is the root, which is no call.
  private var nodes = [Node(call: Call(site: 0, entry: 0), parent: 0)]

  package init() {}

  package subscript(index: Int32) -> Node { nodes[Int(index)] }

  mutating func child(of parent: Int32, _ call: Call) -> Int32 {
    var child = nodes[Int(parent)].firstChild
    while child != 0 {
      if nodes[Int(child)].call == call { return child }
      child = nodes[Int(child)].sibling
    }
    guard nodes.count < Self.countMax else { return parent }
    let new = Int32(nodes.count)
    nodes.append(Node(call: call, parent: parent, sibling: nodes[Int(parent)].firstChild))
    nodes[Int(parent)].firstChild = new
    return new
  }

  /// The calls that led to a node, the outermost first.
  package func calls(to node: Int32) -> [Call] {
    var calls: [Call] = []
    var node = node
    while node != 0 {
      calls.append(nodes[Int(node)].call)
      node = nodes[Int(node)].parent
    }
    return calls.reversed()
  }
}
