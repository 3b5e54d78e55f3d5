package import AVR
import Devices
package import Sketches
package import Traces

/// A session on the emulated chip that runs forwards and backwards.
///
/// Its positions are the moments between two instructions, named by the chip's cycle. What a
/// position looks like follows from the session's inputs alone, and from what the debugger has
/// changed, however it is reached.
package struct ChipTimeline: Sendable {
  package struct Watchpoint: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case write, read, access }

    package var kind: Kind
    /// Addresses of the data space. Of registers, SREG and SP, what the program does to them other
    /// than by their addresses is only seen if their value changes.
    package var range: Range<UInt16>

    package init(_ kind: Kind, _ range: Range<UInt16>) {
      self.kind = kind
      self.range = range
    }
  }

  package enum Stop: Hashable, Sendable {
    case step
    /// The instruction at a breakpoint is next.
    case breakpoint
    /// Forwards it is after the access, backwards before it.
    case watch(Watchpoint, address: UInt16)
    /// The first or last position.
    case begin, end
    /// The chip has crashed. Only backwards it goes on.
    case fault
    case interrupted
  }

  package enum Resume: Hashable, Sendable {
    case run
    /// One instruction, with the interrupts that precede the next one.
    case step
    /// Steps until the next instruction is not at these byte addresses; at least one.
    case range(Range<UInt32>)
    case runBack, stepBack
    /// To the last write of some addresses, whatever the breakpoints and watchpoints.
    case backToWrite(Range<UInt16>)
    /// To the first position that is not before a cycle.
    case to(cycle: UInt64)
  }

  private var script: TimelineScript
  private let first: TimelineRun
  private var present: TimelineRun
  private let isLive: Bool
  private var action: Resume?
  private var start: UInt64 = 0
  private var hasBegun = false
  private var isInterrupted = false
  /// Each interrupt that has not returned, by what it interrupted.
  private var frames: [Frame] = []
  private var depth = 0

  private struct Frame {
    var pc: UInt16
    var sp: UInt16
  }

  /// The byte addresses of instructions.
  package var breakpoints: Set<UInt16> = []
  package var watchpoints: [Watchpoint] = []
  /// Whether a step can end at the first instruction of an interrupt.
  package var stepsIntoInterrupts = false
  /// Whether the debugger has changed something: later than that it is no recording.
  package private(set) var isForked = false
  /// How far a search backwards has got, 0 to 1; nil if there is none.
  package private(set) var progress: Double?

  /// - Parameters:
  ///   - inputs: the session's, in order.
  ///   - end: the end of the session; of a live one, how far it may run at first.
  ///   - memoryMax: the most bytes that its snapshots take.
  package init(
    _ source: AVRSource, _ header: Header, inputs: [Event], end: Instant, isLive: Bool = false,
    memoryMax: Int
  ) {
    script = TimelineScript(inputs: inputs.filter { $0.isInput }, end: end)
    first = TimelineRun(
      source.makeDevice(
        for: header, firmware: header.firmware(unless: nil), showsPulses: false))
    present = first
    self.isLive = isLive
  }

  // MARK: The present

  /// The board at the present position.
  package var device: AVRDevice { present.device }
  package var cycle: UInt64 { present.cycle }
  package var now: Instant { present.device.now }
  /// The byte address of the next instruction.
  package var programCounter: UInt16 { present.device.chip.programCounter }

  /// The first position at which everything at an instant has happened.
  package func cycle(at instant: Instant) -> UInt64 { present.device.clock.cycle(of: instant) + 1 }
  package func instant(of cycle: UInt64) -> Instant { present.device.clock.instant(of: cycle) }

  package var isRunning: Bool { action != nil }
  /// Whether a live session has run as far as it may, and waits for `extend`.
  package var isAtFrontier: Bool { isLive && isRunning && present.isAtEnd(of: script) }

  // MARK: A live session

  /// Adds an input. None is earlier, and the session has not run past it.
  package mutating func append(_ input: Event) {
    if input.isInput { script.inputs.append(input) }
  }

  /// Lets a live session run to an instant.
  package mutating func extend(to end: Instant) { script.end = max(end, script.end) }

  // MARK: Changes

  /// Makes a change at the present position. What was recorded later is forgotten, except for the
  /// inputs. Returns false, and changes nothing, if there is no such memory.
  package mutating func make(_ change: ChipChange) -> Bool {
    var chip = present.device.chip
    guard chip.make(change) else { return false }
    script.edits.removeAll { $0.cycle > cycle }
    script.edits.append((cycle, change))
    present.advance(to: cycle, script)
    isForked = true
    return true
  }

  // MARK: Running

  /// Begins to run; `proceed` does it.
  package mutating func resume(_ how: Resume) {
    action = how
    (start, hasBegun, isInterrupted) = (cycle, present.device.chip.isAsleep, false)
    depth = frames.count
  }

  /// Ends a run at the next `proceed`.
  package mutating func interrupt() { isInterrupted = true }

  /// Runs on. Returns why it has stopped; nil if it has not, after about `cycles` of the chip's
  /// cycles were executed, or if a live session waits for `extend`.
  package mutating func proceed(forAbout cycles: UInt64) -> Stop? {
    guard let action else { return nil }
    let stop: Stop?
    if isInterrupted {
      stop = .interrupted
    } else {
      switch action {
      case .run, .step, .range: stop = forward(action, cycles)
      case .to(let cycle): stop = go(to: cycle, .step)
      case .runBack: stop = back { $0.hits }
      case .stepBack: stop = back { $0.steps }
      case .backToWrite(let range):
        let old = (breakpoints, watchpoints)
        (breakpoints, watchpoints) = ([], [Watchpoint(.write, range)])
        stop = back { $0.hits }
        (breakpoints, watchpoints) = old
      }
    }
    if stop != nil { self.action = nil }
    return stop
  }

  private mutating func forward(_ action: Resume, _ cycles: UInt64) -> Stop? {
    let limit = cycle + cycles
    while cycle < limit {
      if present.device.chip.fault != nil { return .fault }
      if present.isAtEnd(of: script) { return isLive ? nil : .end }
      let chip = present.device.chip
      let isOver = frames.count <= depth
      switch chip.nextAction {
      case .instruction:
        let isFirst = action != .run && isOver && !hasBegun
        if action != .run, isOver, hasBegun, isOutside(action, chip.programCounter) {
          return .step
        }
        if breakpoints.contains(chip.programCounter), cycle > start, !isFirst {
          return .breakpoint
        }
        if isOver { hasBegun = true }
      case .interrupt:
        if action != .run, stepsIntoInterrupts {
          if hasBegun { return .step }
          hasBegun = true
          depth += 1
        }
      case .sleep, .nothing: break
      }
      if let hit = move() { return hit }
    }
    return nil
  }

  private func isOutside(_ action: Resume, _ pc: UInt16) -> Bool {
    if case .range(let range) = action { return !range.contains(UInt32(pc)) }
    return true
  }

  /// Executes one instruction or enters an interrupt.
  private mutating func move() -> Stop? {
    let chip = present.device.chip
    let action = chip.nextAction
    let accesses = chip.nextAccesses
    if action == .interrupt {
      frames.append(Frame(pc: chip.programCounter, sp: chip.stackPointer))
    }
    let returns = action == .instruction && chip.returnsNext
    present.step(script)
    let now = present.device.chip
    if returns {
      while let frame = frames.last, frame.sp <= now.stackPointer { frames.removeLast() }
    }
    for watchpoint in watchpoints {
      for access in accesses where watchpoint.range.contains(access.address) {
        switch watchpoint.kind {
        case .write where !access.isWrite, .read where access.isWrite: continue
        default: return .watch(watchpoint, address: access.address)
        }
      }
    }
    return nil
  }

  private struct Found {
    var hits: (UInt64, Stop)?
    var steps: (UInt64, Stop)?
  }

  private mutating func back(_ choose: (Found) -> (UInt64, Stop)?) -> Stop? {
    let end = cycle
    var found = Found()
    restart()
    var starts: [(cycle: UInt64, depth: Int)] = []
    while cycle < end, present.device.chip.fault == nil {
      let chip = present.device.chip
      let before = cycle
      let next = chip.nextAction
      if next == .instruction {
        if breakpoints.contains(chip.programCounter) { found.hits = (before, .breakpoint) }
        while let last = starts.last, last.depth > frames.count { starts.removeLast() }
        if let last = starts.last, last.depth == frames.count { starts.removeLast() }
        starts.append((before, frames.count))
      } else if next == .interrupt, stepsIntoInterrupts {
        starts.append((before, frames.count))
      }
      if let hit = move(), cycle <= end { found.hits = (before, hit) }
    }
    while let last = starts.last, last.depth > frames.count { starts.removeLast() }
    if let last = starts.last { found.steps = (last.cycle, .step) }
    if let hit = found.hits, let step = found.steps, hit.0 > step.0 { found.steps = hit }
    guard let (cycle, stop) = choose(found) else {
      restart()
      return .begin
    }
    return go(to: cycle, stop)
  }

  private mutating func restart() {
    present = first
    frames = []
    present.advance(to: present.cycle, script)
  }

  private mutating func go(to target: UInt64, _ stop: Stop) -> Stop {
    if target < cycle { restart() }
    while cycle < target {
      if present.device.chip.fault != nil { return .fault }
      if present.isAtEnd(of: script) { return .end }
      _ = move()
    }
    return stop
  }
}
