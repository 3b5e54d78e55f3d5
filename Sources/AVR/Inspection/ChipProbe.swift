/// What a debugger looks for while a chip runs, and what was found. It changes nothing but the
/// running time.
package struct ChipProbe: Sendable {
  /// Something that was found, and the cycle at which its instruction, or the entry of its
  /// interrupt, begins.
  package struct Hit: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// The instruction ends a step.
      case step
      /// The instruction is at a breakpoint.
      case breakpoint
      /// It accesses a watched address.
      case watch
    }

    package var cycle: UInt64
    package var kind: Kind
  }

  /// An interrupt that has not returned, by what it interrupted.
  private struct Frame: Sendable {
    var pc: Int
    var stack: UInt16
  }

  /// More interrupts than that within each other are not followed.
  private static let framesMax = 64

  /// Nil if nothing is looked for.
  private(set) var marks: ProbeMarks?
  /// Breakpoints count at instructions that begin by then or later.
  private var start: UInt64 = 0
  /// Whether a step has executed its own instruction.
  private var hasBegun = false
  /// The addresses in the marks whose values are compared.
  private(set) var compared: [UInt16] = []
  /// The number of interrupts around it.
  private var depth = 0

  /// The outermost first. They are followed whatever is looked for.
  private var frames: [Frame] = []
  package private(set) var first: Hit?
  /// The last one that ends no step.
  package private(set) var last: Hit?
  /// Where the last instruction began with each number of interrupts around it, up to the present
  /// one. Only of instructions that can end a step.
  private var latest: [(depth: Int, cycle: UInt64)] = []

  /// The number of interrupts that have not returned.
  package var interruptCount: Int { frames.count }

  /// The cycle at which the last instruction began that had at most so many interrupts around it;
  /// nil if there was none. Nil for any number.
  package func lastInstruction(within depth: Int?) -> UInt64? {
    guard let depth else { return latest.last?.cycle }
    return latest.last { $0.depth <= min(depth, frames.count) }?.cycle
  }

  mutating func begin(_ marks: ProbeMarks, isStart: Bool, _ core: Core) {
    end()
    (self.marks, compared) = (marks, marks.compared)
    start = isStart ? core.cycle + 1 : 0
    (hasBegun, depth) = (!isStart || core.isAsleep, frames.count)
  }

  mutating func end() {
    (marks, compared) = (nil, [])
    (first, last, latest) = (nil, nil, [])
  }

  /// The flash has changed.
  mutating func programmed(_ flash: Flash) { marks?.apply(to: flash) }

  private mutating func find(_ kind: Hit.Kind, at cycle: UInt64) {
    let hit = Hit(cycle: cycle, kind: kind)
    if first == nil { first = hit }
    if kind != .step { last = hit }
  }

  /// A marked instruction is executed.
  mutating func execute(_ core: Core, marks bits: UInt8) {
    var isOwn = false
    if bits & ProbeMarks.step != 0, let marks {
      while let one = latest.last, one.depth >= frames.count { latest.removeLast() }
      latest.append((frames.count, core.cycle))
      if marks.stepsInto || isOver(core) {
        isOwn = !hasBegun
        if hasBegun, marks.endsStep(at: core.pc) { find(.step, at: core.cycle) }
        hasBegun = true
      }
    }
    if bits & ProbeMarks.breakpoint != 0, core.cycle >= start, !isOwn {
      find(.breakpoint, at: core.cycle)
    }
  }

  /// Whether all interrupts have returned that have begun since the step did. One can return by
  /// RET.
  private func isOver(_ core: Core) -> Bool {
    frames.count <= depth || frames[depth].pc == core.pc && frames[depth].stack <= core.sp
  }

  /// A watched address is accessed.
  mutating func access(_ cycle: UInt64) { find(.watch, at: cycle) }

  /// An interrupt is entered.
  mutating func enterInterrupt(from before: Core, _ core: Core) {
    if frames.count == Self.framesMax { frames.removeFirst() }
    frames.append(Frame(pc: before.pc, stack: before.sp))
    guard let marks else { return }
    if marks.stepsInto { hasBegun = true }
    let write = ProbeMarks.write
    if marks.watches(before.sp, write) || marks.watches(before.sp &- 1, write)
      || marks.compared.contains(where: { before[data: $0] != core[data: $0] })
    {
      access(before.cycle)
    }
  }

  /// After RETI.
  mutating func leaveInterrupt(_ stack: UInt16) {
    while let frame = frames.last, frame.stack <= stack { frames.removeLast() }
  }

  mutating func reset() { frames = [] }
}

/// The decoded code with what is looked for, and the watched addresses.
package struct ProbeMarks: Sendable {
  /// What ends a step.
  package enum Step: Hashable, Sendable {
    case never
    /// The next instruction that is not at these byte addresses, when the interrupts have returned
    /// that precede it.
    case outside(Range<UInt32>)
    /// The next instruction, of an interrupt or not.
    case into
  }

  // Bits in `Instruction.d` of an `entry`.
  static let call: UInt8 = 1
  static let breakpoint: UInt8 = 2
  static let step: UInt8 = 4
  // Bits of an address in `watched`.
  static let read: UInt8 = 1
  static let write: UInt8 = 2

  private let step: Step
  private let start: Int
  private let breakpoints: Set<UInt16>
  private var words: [UInt16] = []
  private(set) var code: [Instruction] = []
  /// One byte for each of the 64 K addresses that a pointer can have; empty if none is watched.
  private(set) var watched: [UInt8]
  /// Those of them that an instruction can change without an access: registers, SP, SREG.
  let compared: [UInt16]

  /// `start` is the word address of the instruction at which a step begins.
  fileprivate init(
    _ breakpoints: Set<UInt16>, _ step: Step, at start: Int, _ watched: [UInt8], on flash: Flash
  ) {
    (self.breakpoints, self.step, self.start, self.watched) = (breakpoints, step, start, watched)
    let addresses = DataSpace.registers.map { $0 } + [DataSpace.SPL, DataSpace.SPH, DataSpace.SREG]
    compared =
      watched.isEmpty
      ? [] : addresses.filter { watched[$0] & Self.write != 0 }.map { UInt16($0) }
    apply(to: flash)
  }

  /// Marks the code of a flash, unless it is that which is marked.
  mutating func apply(to flash: Flash) {
    // Usually they are the same array, which is known at once.
    guard words != flash.words else { return }
    (words, code) = (flash.words, flash.code)
    for address in breakpoints { mark(Int(address >> 1), Self.breakpoint, flash) }
    guard step != .never else { return }
    for index in 0..<Flash.wordCount where index == start || endsStep(at: index) {
      mark(index, Self.step, flash)
    }
  }

  private mutating func mark(_ index: Int, _ bit: UInt8, _ flash: Flash) {
    guard index < Flash.wordCount else { return }
    let marked = code[index].operation == .entry ? code[index].d : 0
    code[index] = Instruction(
      operation: .entry, d: marked | bit, words: flash.plain(at: index).words)
  }

  func endsStep(at index: Int) -> Bool {
    if case .outside(let range) = step { return !range.contains(UInt32(index) << 1) }
    return true
  }

  /// Whether what is called the next instruction is in any code.
  var stepsInto: Bool { step == .into }

  func watches(_ address: UInt16, _ bit: UInt8) -> Bool {
    !watched.isEmpty && watched[Int(address)] & bit != 0
  }

  /// Adds a probe with its marks to an interpreter.
  @inline(never)
  static func attach(
    _ probe: UnsafeMutablePointer<ChipProbe>, to interpreter: Interpreter,
    _ body: (Interpreter) -> Void
  ) {
    var interpreter = interpreter
    interpreter.probe = probe
    guard let marks = probe.pointee.marks else { return body(interpreter) }
    marks.code.withUnsafeBufferPointer { code in
      interpreter.code = code.baseAddress!
      marks.watched.withUnsafeBufferPointer { watched in
        if !watched.isEmpty { interpreter.watched = watched.baseAddress }
        body(interpreter)
      }
    }
  }
}

extension ATmega328P {
  /// Follows interrupts from now on, for steps.
  package mutating func attachProbe() { probe.value = [ChipProbe()] }

  /// What has been found; nil without a probe.
  package var found: ChipProbe? { probe.value.first }

  /// What is to be looked for. A step begins at the next instruction.
  ///
  /// - Parameters:
  ///   - breakpoints: byte addresses of instructions.
  ///   - reads: addresses of the data space, and so `writes`.
  package func marks(
    _ breakpoints: Set<UInt16>, _ step: ProbeMarks.Step = .never, reads: [Range<UInt16>] = [],
    writes: [Range<UInt16>] = []
  ) -> ProbeMarks {
    var watched: [UInt8] = []
    func watch(_ ranges: [Range<UInt16>], _ bit: UInt8) {
      for range in ranges {
        for address in range.prefix(while: { $0 <= peripherals.part.sramEnd }) {
          if watched.isEmpty { watched = Array(repeating: 0, count: 1 << 16) }
          watched[Int(address)] |= bit
        }
      }
    }
    watch(reads, ProbeMarks.read)
    watch(writes, ProbeMarks.write)
    return ProbeMarks(breakpoints, step, at: core.pc, watched, on: flash)
  }

  /// Looks for that from now on, if there is a probe. `isStart`: the next instruction is left, if
  /// it is at a breakpoint, and begins the step, if there is one.
  package mutating func look(for marks: ProbeMarks, isStart: Bool) {
    guard !probe.value.isEmpty else { return }
    var marks = marks
    marks.apply(to: flash)
    probe.value[0].begin(marks, isStart: isStart, core)
    // It has been recorded without the marks.
    waiting.value.loop = nil
  }

  /// Looks for nothing any more, and forgets what was found.
  package mutating func stopLooking() {
    if found?.marks != nil { probe.value[0].end() }
  }
}
