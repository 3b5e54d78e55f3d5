/// Finds the loop that a program waits in, and leaves out what can be left out of it.
struct LoopScout {
  private static let stepsMax = 400
  /// Fewer iterations than this are as quickly executed.
  private static let iterationsMin: UInt64 = 4

  let interpreter: Interpreter
  /// Before it nothing happens by itself.
  let deadline: UInt64
  /// The head, in words, of a loop that nothing but a restart ends, and when it was found.
  private(set) var stuck: (head: Int, cycle: UInt64)?

  init(interpreter: Interpreter, deadline: UInt64) {
    self.interpreter = interpreter
    self.deadline = deadline
  }

  /// Executes until it knows a loop, and skips most of its iterations. Returns the loop's head, in
  /// words; nil where there is no such loop, or the program does more than wait.
  mutating func skip(
    from known: Int?, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> Int? {
    if let known, reach(known, &core, &peripherals), wait(at: known, &core, &peripherals) {
      return known
    }
    var vain: [Int] = known.map { [$0] } ?? []
    for _ in 0..<4 {
      guard let head = findHead(except: vain, &core, &peripherals) else { return nil }
      if wait(at: head, &core, &peripherals) { return head }
      vain.append(head)
    }
    return nil
  }

  /// Executes one instruction; false when something wants attention or time is up.
  @inline(__always)
  private func step(_ core: inout Core, _ peripherals: inout Peripherals) -> Bool {
    interpreter.run(&core, &peripherals, until: core.cycle + 1)
    return !core.wantsAttention && core.cycle < deadline && peripherals.nextEvent >= deadline
      && !(peripherals.isInterruptPending && core.sreg & StatusRegister.I != 0)
  }

  private func reach(
    _ head: Int, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> Bool {
    for _ in 0..<Self.stepsMax {
      if core.pc == head { return true }
      guard step(&core, &peripherals) else { return false }
    }
    return false
  }

  /// Executes until a jump back, or to itself, leads where one has led before, with the stack as high as then.
  private func findHead(
    except vain: [Int], _ core: inout Core, _ peripherals: inout Peripherals
  ) -> Int? {
    var targets: [(pc: Int, sp: UInt16)] = []
    for _ in 0..<2 * Self.stepsMax {
      let pc = core.pc
      guard step(&core, &peripherals) else { return nil }
      guard core.pc <= pc, !vain.contains(core.pc) else { continue }
      if targets.contains(where: { $0.pc == core.pc && $0.sp == core.sp }) { return core.pc }
      targets.append((core.pc, core.sp))
    }
    return nil
  }

  /// At the head of a loop: goes once round, and then leaves out as many iterations as are sure to be
  /// like that one. False where there are none.
  private mutating func wait(
    at head: Int, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> Bool {
    let before = core
    var registers = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    withUnsafeMutableBytes(of: &registers) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: interpreter.data, count: 32))
    }
    guard let lap = lap(head, &core, &peripherals), core.sp == before.sp else { return false }
    let room = (deadline - core.cycle) / lap.loop.period
    guard room >= Self.iterationsMin else { return true }
    let isSame = withUnsafeBytes(of: registers) { old in
      old.elementsEqual(UnsafeRawBufferPointer(start: interpreter.data, count: 32))
    }
    if !lap.loop.readsTime {
      guard isSame, !lap.changesMemory, core.sreg == before.sreg else { return false }
      if !lap.loop.readsIO, !lap.loop.allowsInterrupts, !peripherals.canRestart,
        !peripherals.overridesProgramMemory
      {
        stuck = (head, core.cycle)
      }
      core.skip(room, of: lap.loop.period)
      return true
    }
    return waitForTime(lap.loop, room, &core, peripherals)
  }

  /// Once round, executed and recorded; nil where it does more than wait.
  private func lap(
    _ head: Int, _ core: inout Core, _ peripherals: inout Peripherals
  ) -> (loop: PollLoop, changesMemory: Bool)? {
    let start = core.cycle
    var loop = PollLoop(head: head)
    // What stood where the lap stores something, before it did.
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
      if effect.readsIO { loop.readsIO = true }
      if effect.writesStatus { loop.writesStatus = true }
      if core.sreg & StatusRegister.I != 0 { loop.allowsInterrupts = true }
      if let address = effect.stores { keep(Int(address)) }
      if instruction.operation.pushesReturnAddress {
        keep(Int(core.sp))
        keep(Int(core.sp) - 1)
      }
      guard overwritten.count <= LaneRows.cellsMax, loop.steps.count < PollLoop.stepsMax,
        step(&core, &peripherals)
      else { return nil }
      loop.steps.append(
        PollLoop.Step(instruction: instruction, pc: pc, next: core.pc, offset: offset))
    } while core.pc != head
    loop.period = core.cycle - start
    return (loop, overwritten.contains { interpreter.data[$0.address] != $0.byte })
  }

  /// The same where a timer is read on the way: lane by lane, as far as the way stays the same.
  private func waitForTime(
    _ loop: PollLoop, _ room: UInt64, _ core: inout Core, _ peripherals: Peripherals
  ) -> Bool {
    // A lane that turned them on would have been interrupted.
    if loop.writesStatus, peripherals.isInterruptPending { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * LaneRows.bytes) { memory in
      var room = room
      var hasWaited = false
      while room >= Self.iterationsMin {
        var lanes = WaitingLanes(
          loop, core, peripherals, interpreter, memory: memory.baseAddress!)
        let valid = lanes.run(core.sreg)
        let count = min(valid, Int(min(room, UInt64(WaitingLanes.count))))
        guard count > 0 else { break }
        lanes.finish(count, &core)
        hasWaited = true
        room -= UInt64(count)
        if count < WaitingLanes.count { break }
      }
      return hasWaited
    }
  }
}
