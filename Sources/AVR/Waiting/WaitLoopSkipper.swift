/// Finds the loop in which a program waits, and skips iterations that change nothing.
struct WaitLoopSkipper {
  private static let stepsMax = 400
  /// Few wait loops have more instructions.
  private static let stepsUsual = 64
  /// Fewer iterations than this are just as quickly executed.
  private static let iterationsMin: UInt64 = 4

  let interpreter: Interpreter
  /// No event is due before this cycle.
  let deadline: UInt64

  /// Executes until a wait loop is known, and then skips most of its iterations. Returns that loop;
  /// nil if there is none or the program does more than wait.
  func skip(
    from known: PollLoop?, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> PollLoop? {
    if let known, let loop = skipIterations(known, &core, &peripherals) { return loop }
    var rejected: [Int] = known.map { [$0.head] } ?? []
    for _ in 0..<4 {
      guard let head = findHead(except: rejected, &core, &peripherals) else { return nil }
      if let loop = skipIterations(PollLoop(head: head), &core, &peripherals) { return loop }
      rejected.append(head)
    }
    return nil
  }

  /// Repeats the loop until the deadline. An iteration can take a different path, for example when
  /// a millisecond has passed; if several do so in a row, it is not a wait loop, and nil is
  /// returned.
  private func skipIterations(
    _ loop: PollLoop, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> PollLoop? {
    var loop = loop
    var hasWaited = false
    var others = 0
    var recordings = 0
    while others < 3, recordings < 3, reach(loop.head, &core, &peripherals) {
      let outcome: Lap
      if loop.readsTime, others < 2 {
        outcome = waitForTime(loop, &core, peripherals)
        // Execute the path that it takes instead.
        if outcome == .otherPath, !step(&core, &peripherals) { break }
      } else {
        (loop, outcome) = wait(at: loop.head, &core, &peripherals)
      }
      switch outcome {
      case .skipped:
        hasWaited = true
        others = 0
        recordings = 0
      case .recorded:
        others = 0
        recordings += 1
      case .otherPath: others += 1
      case .timeIsUp: return loop
      case .works: return hasWaited ? loop : nil
      }
    }
    return hasWaited ? loop : nil
  }

  /// Whether only the program's own instructions matter until the deadline. The program can change
  /// that, for example by setting a timer that is due earlier.
  @inline(__always)
  private func isUndisturbed(_ core: Core, _ peripherals: Peripherals) -> Bool {
    core.cycle < deadline && peripherals.nextEvent >= deadline && !core.wantsAttention
      && !(peripherals.isInterruptPending && core.sreg & StatusRegister.I != 0)
  }

  /// Executes one instruction, unless something needs attention or the deadline has passed.
  @inline(__always)
  private func step(_ core: inout Core, _ peripherals: inout Peripherals) -> Bool {
    guard isUndisturbed(core, peripherals) else { return false }
    interpreter.run(&core, &peripherals, until: core.cycle + 1)
    return true
  }

  /// Executes until the program reaches the head of the loop. Returns false if that takes too long.
  private func reach(
    _ head: Int, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> Bool {
    guard isUndisturbed(core, peripherals) else { return false }
    let end = min(deadline, core.cycle + UInt64(2 * Self.stepsMax))
    interpreter.run(&core, &peripherals, until: end, stoppingAt: head)
    return core.pc == head && isUndisturbed(core, peripherals)
  }

  /// Executes until a backward jump, or a jump to itself, reaches the same target for the second
  /// time with the same stack pointer.
  private func findHead(
    except rejected: [Int], _ core: inout Core, _ peripherals: inout Peripherals
  ) -> Int? {
    var targets: [(pc: Int, sp: UInt16)] = []
    let end = min(deadline, core.cycle + UInt64(4 * Self.stepsMax))
    while isUndisturbed(core, peripherals),
      interpreter.runUntilBack(&core, &peripherals, until: end)
    {
      guard !rejected.contains(core.pc) else { continue }
      if targets.contains(where: { $0.pc == core.pc && $0.sp == core.sp }) { return core.pc }
      targets.append((core.pc, core.sp))
    }
    return nil
  }

  private enum Lap {
    case skipped
    /// The path of one iteration is now known.
    case recorded
    /// The next iteration takes a different path.
    case otherPath
    /// Too few iterations fit in before the deadline.
    case timeIsUp
    /// The program does more than wait.
    case works
  }

  /// At the head of a loop: executes one iteration, then skips the others if they are certain to be
  /// identical.
  private func wait(
    at head: Int, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> (PollLoop, Lap) {
    let before = core
    var registers = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    withUnsafeMutableBytes(of: &registers) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: interpreter.data, count: 32))
    }
    guard let lap = lap(head, &core, &peripherals), core.sp == before.sp else {
      return (PollLoop(head: head), .works)
    }
    if lap.loop.readsTime { return (lap.loop, .recorded) }
    guard let room = room(for: lap.loop, core, peripherals) else { return (lap.loop, .timeIsUp) }
    let isSame = withUnsafeBytes(of: registers) { old in
      old.elementsEqual(UnsafeRawBufferPointer(start: interpreter.data, count: 32))
    }
    guard isSame, !lap.changesMemory, core.sreg == before.sreg else {
      return (lap.loop, .otherPath)
    }
    core.skip(room, of: lap.loop)
    return (lap.loop, .skipped)
  }

  /// The number of iterations that end by the deadline; nil if too few to be worth skipping.
  private func room(
    for loop: PollLoop, _ core: Core, _ peripherals: Peripherals
  ) -> UInt64? {
    guard isUndisturbed(core, peripherals) else { return nil }
    let room = (deadline - core.cycle) / loop.period
    return room >= Self.iterationsMin ? room : nil
  }

  /// Executes and records one iteration. Returns nil if it does more than wait.
  private func lap(
    _ head: Int, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> (loop: PollLoop, changesMemory: Bool)? {
    let start = core.cycle
    var loop = PollLoop(head: head)
    loop.steps.reserveCapacity(Self.stepsUsual)
    // The original content of each byte that the iteration overwrites.
    var overwritten: [(address: Int, byte: UInt8)] = []
    func keep(_ address: Int) {
      if !overwritten.contains(where: { $0.address == address }) {
        overwritten.append((address, interpreter.data[address]))
      }
    }
    repeat {
      let pc = core.pc
      let instruction = interpreter.code[pc]
      let offset = core.cycle - start
      let effect = interpreter.effect(of: instruction, core, peripherals)
      if effect.isForbidden { return nil }
      if effect.readsTime { loop.readsTime = true }
      if effect.writesStatus { loop.writesStatus = true }
      if let address = effect.stores { keep(Int(address)) }
      if instruction.operation.pushesReturnAddress {
        keep(Int(core.sp))
        keep(Int(core.sp) - 1)
      }
      guard overwritten.count <= BatchRows.cellsMax, loop.steps.count < PollLoop.stepsMax,
        step(&core, &peripherals)
      else { return nil }
      loop.steps.append(
        PollLoop.Step(instruction: instruction, pc: pc, next: core.pc, offset: offset))
    } while core.pc != head
    loop.period = core.cycle - start
    if core.interruptsFrom > start + 1 { loop.interruptsFrom = core.interruptsFrom - start }
    return (loop, overwritten.contains { interpreter.data[$0.address] != $0.byte })
  }

  /// At the head of a loop that reads a timer: skips iterations for as long as they take the same
  /// path.
  private func waitForTime(
    _ loop: PollLoop, _ core: inout Core, _ peripherals: Peripherals
  ) -> Lap {
    // An iteration that enabled interrupts would have been interrupted.
    if loop.writesStatus, peripherals.isInterruptPending { return .works }
    return withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: IterationBatch.memoryBytes
    ) { memory in
      var skipped = 0
      // The head of a loop within this one is reached on two paths in turn. Then each skips next to
      // nothing, and another head is better.
      var outcome: Lap { skipped >= Self.iterationsMin ? .skipped : .otherPath }
      while true {
        guard let room = room(for: loop, core, peripherals) else { return .timeIsUp }
        let iterations = Int(min(room, UInt64(BatchRows.columns)))
        var batch = IterationBatch(
          loop, iterations: iterations, core, peripherals, interpreter, memory: memory.baseAddress!)
        let count = batch.run(core.sreg)
        guard count > 0 else { return outcome }
        batch.finish(count, &core)
        skipped += count
        if count < iterations { return outcome }
      }
    }
  }
}
