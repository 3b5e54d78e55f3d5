package import AVR
import Devices
package import Sketches
package import Traces

/// A session on the emulated chip that runs forwards and backwards.
///
/// Its positions are the moments between two instructions, named by the chip's cycle. A position
/// looks the same however it is reached: it follows from the session's inputs and from what the
/// debugger has changed.
///
/// Backwards it runs forwards again from snapshots, which are copies of the board. They take up to
/// a stated amount of memory, and are the denser the nearer they are to the present.
package struct ChipTimeline: Sendable {
  package struct Watchpoint: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case write, read, access }

    package var kind: Kind
    /// Addresses of the data space. A write of a register, SP or SREG without its address, as most
    /// instructions do it, counts if the value changes; such a read does not.
    package var range: Range<UInt16>

    package init(_ kind: Kind, _ range: Range<UInt16>) {
      self.kind = kind
      self.range = range
    }

    fileprivate func covers(_ access: DataAccess) -> Bool {
      guard range.contains(access.address) else { return false }
      return switch kind {
      case .write: access.isWrite
      case .read: !access.isWrite
      case .access: true
      }
    }
  }

  package enum Stop: Hashable, Sendable {
    case step
    /// The instruction at a breakpoint is next.
    case breakpoint
    /// Forwards it is after the access, backwards before it.
    case watch(Watchpoint, address: UInt16)
    /// The first or the last position.
    case begin, end
    /// The chip has crashed, and can only go backwards.
    case fault
    case interrupted
  }

  package enum Resume: Hashable, Sendable {
    case run
    /// One instruction, and the interrupts that precede the next one. If the chip sleeps, until it
    /// has woken up.
    case step
    /// Steps, at least one, until the next instruction is not at these byte addresses.
    case range(Range<UInt32>)
    case runBack
    /// To the instruction before, without the interrupts between them.
    case stepBack
    /// To the last write of one of these addresses, whatever the breakpoints and watchpoints.
    case backToWrite(Range<UInt16>)
    /// To the first position that is not before a cycle.
    case to(cycle: UInt64)
  }

  /// What it is doing.
  private enum Activity: Sendable {
    case nothing
    /// The present is on its way. It stops at what is found, or at a cycle.
    case forward(until: UInt64)
    /// Looks for the last of something before the present.
    case search(Search)
    /// Another run is on its way to a position, which is then the present. Nil for what is watched
    /// there.
    case go(TimelineRun, to: UInt64, Stop?)
  }

  private struct Search: Sendable {
    var marks: ProbeMarks
    /// The stretch in which is looked, and a run on its way through it, or to its begin.
    var begin: UInt64
    var end: UInt64
    var run: TimelineRun
    var isLooking = false
    /// The length of the stretch before, if the instruction before is looked for. Otherwise
    /// stretches are those between snapshots.
    var stepLength: UInt64?
    /// The number of interrupts around that instruction, at most; nil for any.
    var depth: Int?
  }

  /// The most inputs of a live session that are kept: those of some 20 minutes, if each byte is
  /// one.
  package static let inputsMax = 1 << 20
  /// How far is first looked for the instruction before, in cycles.
  private static let stepStretch: UInt64 = 1 << 8

  private var script: TimelineScript
  private var present: TimelineRun
  private var snapshots: Snapshots
  private var activity = Activity.nothing
  private var isLive: Bool
  private let inputsMax: Int
  private var isInterrupted = false
  /// How far it next runs forwards before it looks at what was found, in cycles.
  private var stride = TimelineRun.strideMin
  /// Where the present run has begun, and what was there.
  private var runStart: UInt64 = 0
  private var origin: TimelineRun
  /// The watchpoints that count in the present run.
  private var counted: [Watchpoint] = []

  /// The byte addresses of instructions. They and the watchpoints count from the next `resume` on.
  package var breakpoints: Set<UInt16> = []
  package var watchpoints: [Watchpoint] = []
  /// Whether a step can end in an interrupt that it did not begin in.
  package var stepsIntoInterrupts = false
  /// Whether the debugger has changed something, so that what follows is no recording.
  package private(set) var isForked = false

  /// - Parameters:
  ///   - inputs: the session's events, in order; others than inputs are ignored.
  ///   - end: the end of the session; of a live one, how far it may run at first.
  ///   - memoryMax: about the most memory that its snapshots take, in bytes.
  ///   - inputsMax: the most inputs of a live session that are kept.
  package init(
    _ source: AVRSource, _ header: Header, inputs: [Event], end: Instant, isLive: Bool = false,
    memoryMax: Int, inputsMax: Int = inputsMax
  ) {
    self.inputsMax = inputsMax
    script = TimelineScript(inputs: inputs.filter { $0.isInput }, end: end)
    present = TimelineRun(
      source.makeDevice(
        for: header, firmware: header.firmware(unless: nil), showsPulses: false))
    present.advance(to: present.cycle, script)
    origin = present
    snapshots = Snapshots(present, memoryMax: memoryMax)
    self.isLive = isLive
  }

  // MARK: The present

  /// The board at the present position. Its chip shows its memories without changing them.
  package var device: AVRDevice { present.device }
  package var cycle: UInt64 { present.cycle }
  /// Up to when everything has happened.
  package var now: Instant { present.device.now }
  /// The byte address of the next instruction.
  package var programCounter: UInt16 { present.device.chip.programCounter }

  /// The first position at which everything at an instant has happened, for `Resume.to`.
  package func cycle(at instant: Instant) -> UInt64 { clock.cycle(of: instant) + 1 }
  package func instant(of cycle: UInt64) -> Instant { clock.instant(of: cycle) }
  private var clock: ChipClock { present.device.clock }

  /// The last lines of the source that ran before the present position, the latest last.
  package func lastLines(_ map: SourceMap) -> [RanLine] {
    let copies = RanLine.periods.reversed().map { period in
      let begin = clock.cycle(of: max(.zero, instant(of: cycle) - period))
      var run = snapshots.last(notAfter: begin)
      run.advance(to: begin, script)
      return run
    }
    return RanLine.last(before: present, from: copies, script, map)
  }

  package var isRunning: Bool { if case .nothing = activity { false } else { true } }
  /// Whether a live session has run as far as it may, and waits for `extend`.
  package var isAtFrontier: Bool {
    guard isLive, case .forward(let limit) = activity, cycle < limit else { return false }
    return present.isAtEnd(of: script) && device.chip.fault == nil
  }
  /// How far a search backwards has got, or a run to a position, 0 to 1; nil if there is none.
  package var progress: Double? {
    func part(_ cycle: UInt64, _ begin: UInt64, _ end: UInt64) -> Double {
      Double(cycle - min(cycle, begin)) / Double(max(end - min(end, begin), 1))
    }
    return switch activity {
    case .search(let search): 1 - part(search.end, snapshots.first.cycle, runStart)
    case .forward(let limit) where limit != .max: part(cycle, runStart, limit)
    case .go(let run, let limit, _): part(run.cycle, snapshots.last(notAfter: limit).cycle, limit)
    case .nothing, .forward: nil
    }
  }

  // MARK: A live session

  /// Adds an input, which is not earlier than the last one and than `now`.
  package mutating func append(_ input: Event) {
    guard input.isInput else { return }
    assert(input.time >= now, "an input is late")
    script.inputs.append(input)
    if script.inputs.count > inputsMax { forgetBeginning() }
  }

  /// Forgets the half of the inputs that is the older one, with what happened then.
  private mutating func forgetBeginning() {
    switch activity {
    case .nothing, .forward: break
    case .search, .go: return
    }
    let (half, present) = (script.inputs.count / 2, cycle)
    let first = snapshots.dropFirst { $0.inputCount <= half && $0.cycle <= present }
    self.present.forget(inputs: first.inputCount, edits: first.editCount)
    origin = self.present
    script.removeBeginning(of: first)
  }

  /// Lets a live session run to an instant, and no further, unless it has already.
  package mutating func extend(to end: Instant) { script.end = max(end, now) }

  /// The session has ended: its end is a stop from now on.
  package mutating func finish(at end: Instant) {
    isLive = false
    script.end = end
  }

  // MARK: Changes

  /// The most changes that are kept, and the most bytes in them.
  private static let changesMax = 65_536
  private static let changedBytesMax = 1 << 24

  /// Whether so many changes are kept that no more can be made here. One at an earlier position
  /// drops those after it.
  package var isFull: Bool {
    guard let last = script.edits.last, last.cycle <= cycle else { return false }
    return script.edits.count >= Self.changesMax || script.editedBytes >= Self.changedBytesMax
  }

  /// Makes a change at the present position, from which on the timeline is no recording; the inputs
  /// remain. Returns false, and changes nothing, if there is no such memory.
  package mutating func make(_ change: ChipChange) -> Bool {
    var chip = present.device.chip
    guard !isRunning, chip.make(change) else { return false }
    let cycle = cycle
    snapshots.dropLast { $0.cycle > cycle }
    script.add((cycle, change))
    present.advance(to: cycle, script)
    isForked = true
    return true
  }

  /// Goes to the beginning, with another program in the flash, and without the changes so far.
  package mutating func reprogram(_ flash: [UInt8]) {
    script.removeEdits { _ in true }
    goToBegin()
    _ = make(.flash(0, flash))
  }

  /// Goes to the beginning, without the changes so far, if there are any, which is returned. A
  /// program that was loaded there stays.
  package mutating func forgetChanges() -> Bool {
    let begin = snapshots.first
    let count = script.edits.count
    script.removeEdits { edit in
      if case .flash = edit.change, edit.cycle <= begin.cycle { false } else { true }
    }
    guard script.edits.count < count else { return false }
    snapshots.dropLast { $0.cycle > begin.cycle }
    goToBegin()
    isForked = !script.edits.isEmpty
    return true
  }

  package mutating func goToBegin() {
    present = snapshots.first
    present.advance(to: cycle, script)
  }

  /// The last position before another at which the debugger has changed one of these addresses.
  package func lastChange(of range: Range<UInt16>, before cycle: UInt64) -> UInt64? {
    script.edits.last { edit in
      guard edit.cycle < cycle, case .data(let address, let bytes) = edit.change else {
        return false
      }
      return range.overlaps(address..<address + UInt16(bytes.count))
    }?.cycle
  }

  // MARK: Running

  /// Begins to run; `proceed` does it.
  package mutating func resume(_ how: Resume) {
    isInterrupted = false
    counted = watchpoints
    runStart = cycle
    origin = present
    let chip = present.device.chip
    switch how {
    case .run: forward(chip.marks(breakpoints, .never, counted))
    case .step: forward(steps(chip))
    case .range(let range):
      let isInside = range.contains(UInt32(chip.programCounter))
      forward(isInside ? steps(chip, outside: range) : steps(chip))
    case .runBack: search(chip.marks(breakpoints, .never, counted))
    case .stepBack: search(steps(chip), isStep: true)
    case .backToWrite(let range):
      counted = [Watchpoint(.write, range)]
      search(chip.marks([], .never, counted))
    case .to(let cycle):
      let nearest = snapshots.last(notAfter: cycle)
      if nearest.cycle > present.cycle { present = nearest }
      runStart = present.cycle
      if cycle < present.cycle {
        go(to: cycle, .step)
      } else {
        stride = Snapshots.spacing
        activity = .forward(until: cycle)
      }
    }
  }

  private func steps(_ chip: ATmega328P, outside range: Range<UInt32> = 0..<0) -> ProbeMarks {
    chip.marks(breakpoints, stepsIntoInterrupts ? .into : .outside(range), counted)
  }

  private mutating func forward(_ marks: ProbeMarks) {
    present.look(for: marks, isStart: true)
    stride = TimelineRun.strideMin
    activity = .forward(until: .max)
  }

  private mutating func search(_ marks: ProbeMarks, isStep: Bool = false) {
    var search = Search(marks: marks, begin: cycle, end: cycle, run: present)
    if isStep { search.stepLength = Self.stepStretch }
    if !stepsIntoInterrupts { search.depth = present.interruptCount }
    lookEarlier(search)
  }

  /// Ends a run at the next `proceed`.
  package mutating func interrupt() { isInterrupted = true }

  /// After a run was ended: goes to where it had begun.
  package mutating func cancel() { present = origin }

  /// Runs on. Returns why it has stopped; nil if it has not, after about so many of the chip's
  /// cycles were emulated, or if a live session waits for `extend`.
  package mutating func proceed(forAbout cycles: UInt64) -> Stop? {
    var rest = cycles
    while isRunning {
      if isInterrupted { return stop(.interrupted) }
      if rest == 0 || isAtFrontier { return nil }
      switch activity {
      case .nothing: return nil
      case .forward(let limit): if let stop = runForward(&rest, until: limit) { return stop }
      case .search(let search): look(search, &rest)
      case .go(let run, let cycle, let stop):
        if let stop = go(run, to: cycle, stop, &rest) { return stop }
      }
    }
    return nil
  }

  private mutating func stop(_ stop: Stop) -> Stop {
    present.stopLooking()
    activity = .nothing
    return stop
  }

  // MARK: Forwards

  private mutating func runForward(_ rest: inout UInt64, until limit: UInt64) -> Stop? {
    if cycle >= limit { return stop(.step) }
    if device.chip.fault != nil { return stop(.fault) }
    if present.isAtEnd(of: script) { return stop(.end) }
    var ahead = present
    ahead.advance(to: min(limit, cycle + stride), script)
    let done = ahead.work - min(ahead.work, present.work)
    rest -= min(rest, max(done, 1))
    guard let hit = ahead.found?.first else {
      present = ahead
      ahead.stopLooking()
      snapshots.add(ahead, present: cycle)
      stride = TimelineRun.stride(after: stride, work: done)
      return nil
    }
    present.stopLooking()
    present.advance(to: hit.cycle, script)
    switch hit.kind {
    case .step: return stop(.step)
    case .breakpoint: return stop(.breakpoint)
    case .watch:
      let watched = watched
      present.step(script)
      return stop(watched)
    }
  }

  /// What the next instruction does to a watched address.
  private var watched: Stop {
    let accesses = device.chip.nextAccesses
    for watchpoint in counted {
      if let access = accesses.first(where: { watchpoint.covers($0) }) {
        return .watch(watchpoint, address: access.address)
      }
    }
    // Only if the watchpoints' addresses do not exist.
    return .step
  }

  // MARK: Backwards

  /// Looks in the stretch before that of a search.
  private mutating func lookEarlier(_ search: Search) {
    let first = snapshots.first.cycle
    guard search.begin > first else { return go(to: first, .begin) }
    var search = search
    search.end = search.begin
    if let length = search.stepLength {
      search.begin = max(search.end - min(search.end, length), first)
      search.stepLength = length * 16
      search.run = snapshots.last(notAfter: search.begin)
    } else {
      search.run = snapshots.last(notAfter: search.end - 1)
      search.begin = search.run.cycle
    }
    search.isLooking = false
    activity = .search(search)
  }

  private mutating func look(_ search: Search, _ rest: inout UInt64) {
    var search = search
    if !search.isLooking, search.run.go(to: search.begin, script, &rest) {
      search.isLooking = true
      search.run.look(for: search.marks, isStart: false)
    }
    guard search.isLooking, search.run.go(to: search.end, script, &rest),
      let found = search.run.found
    else {
      activity = .search(search)
      return
    }
    let step = search.stepLength == nil ? nil : found.lastInstruction(within: search.depth)
    if let hit = found.last, step.map({ hit.cycle > $0 }) ?? true {
      go(to: hit.cycle, hit.kind == .breakpoint ? .breakpoint : nil)
    } else if let step {
      go(to: step, .step)
    } else {
      lookEarlier(search)
    }
  }

  // MARK: To a position

  /// `stop` is nil for what is watched there.
  private mutating func go(to cycle: UInt64, _ stop: Stop?) {
    activity = .go(snapshots.last(notAfter: cycle), to: cycle, stop)
  }

  private mutating func go(
    _ run: TimelineRun, to cycle: UInt64, _ stop: Stop?, _ rest: inout UInt64
  ) -> Stop? {
    var run = run
    // On the way more snapshots are taken, nearer to each other towards the position.
    var left: UInt64 { cycle - min(cycle, run.cycle) }
    while left > 0 {
      var distance = Snapshots.spacing
      while distance * 4 < left { distance *= 4 }
      let next = distance < left ? cycle - distance : cycle
      guard run.go(to: next, script, &rest) else {
        activity = .go(run, to: cycle, stop)
        return nil
      }
      if next == cycle { break }
      snapshots.add(run, present: cycle)
    }
    run.advance(to: cycle, script)
    present = run
    return self.stop(stop ?? watched)
  }
}

extension ATmega328P {
  fileprivate func marks(
    _ breakpoints: Set<UInt16>, _ step: ProbeMarks.Step, _ watchpoints: [ChipTimeline.Watchpoint]
  ) -> ProbeMarks {
    marks(
      breakpoints, step, reads: watchpoints.filter { $0.kind != .write }.map { $0.range },
      writes: watchpoints.filter { $0.kind != .read }.map { $0.range })
  }
}
