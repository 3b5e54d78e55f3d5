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
    let before = self
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
      !peripherals.canRestart, !peripherals.overridesProgramMemory
    else { return nil }
    var copy = self
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
      !peripherals.canRestart
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
