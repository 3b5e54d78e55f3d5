/// Executes many iterations of a loop at once if they differ only in the time at which they read a
/// timer.
///
/// Every iteration follows the recorded path. It starts from the state in which the previous one
/// ends, which is not known at first, so the path is executed twice. In the first pass all
/// iterations start from the state before the loop; in the second, each starts from its
/// predecessor's result. If the second results equal the first, they are correct by induction from
/// the first iteration, which started from the real state. The first iteration that would leave the
/// path at a branch ends the run of valid ones.
struct IterationBatch {
  /// How many rows of timer readings the first pass keeps for the second.
  private static let readingsMax = 8
  static let memoryBytes = 2 * BatchRows.bytes + readingsMax * BatchRows.columns

  let loop: PollLoop
  let peripherals: Peripherals
  let data: UnsafeMutablePointer<UInt8>
  private let interpreter: Interpreter
  let rows: BatchRows
  /// The results of the first pass, as large as `rows`.
  private let first: BatchRows
  private let readings: UnsafeMutablePointer<UInt8>
  /// The number of iterations, at most `BatchRows.columns`.
  let iterations: Int
  let start: UInt64
  private let startStack: UInt16

  /// The memory addresses accessed so far, in the order of their rows.
  var cells: [UInt16] = []
  var stack: UInt16
  /// One bit for each iteration: whether it has followed the recorded path so far.
  var valid = UInt64.max
  private var isSecondPass = false
  private var readingCount = 0

  /// `memory` must have `memoryBytes` bytes.
  init(
    _ loop: PollLoop, iterations: Int, _ core: Core, _ peripherals: Peripherals,
    _ interpreter: Interpreter,
    memory: UnsafeMutablePointer<UInt8>
  ) {
    self.loop = loop
    self.iterations = iterations
    self.peripherals = peripherals
    data = interpreter.data
    self.interpreter = interpreter
    rows = BatchRows(base: memory)
    first = BatchRows(base: memory + BatchRows.bytes)
    readings = memory + 2 * BatchRows.bytes
    start = core.cycle
    startStack = core.sp
    stack = core.sp
    for register in 0..<32 { rows.fill(register, data[register]) }
    rows.fill(BatchRows.sreg, core.sreg)
  }

  /// Returns how many iterations follow the recorded path; `finish` applies their result.
  mutating func run(_ sreg: UInt8) -> Int {
    guard pass() else { return 0 }
    let used = BatchRows.cells + cells.count
    rows.copy(rows.base, to: first.base, count: used * BatchRows.columns)
    let touched = cells.count
    isSecondPass = true
    for register in 0..<32 { rows.shift(register, first: data[register]) }
    rows.shift(BatchRows.sreg, first: sreg)
    for (index, address) in cells.enumerated() {
      rows.shift(BatchRows.cells + index, first: data[Int(address)])
    }
    guard pass(), cells.count == touched else { return 0 }
    for row in 0..<used { valid &= rows.bits(rows[row], equal: first[row]) }
    return min(iterations, (~valid).trailingZeroBitCount)
  }

  /// Reads a timer in all iterations. The second pass uses the first pass's readings.
  mutating func reading(
    into row: Int, _ read: (UnsafeMutablePointer<UInt8>) -> Bool
  ) -> Bool {
    guard readingCount < Self.readingsMax else { return false }
    let values = readings + readingCount * BatchRows.columns
    readingCount += 1
    if !isSecondPass, !read(values) { return false }
    rows.copy(values, to: rows[row])
    return true
  }

  /// Applies the state after this many iterations.
  func finish(_ count: Int, _ core: inout Core) {
    let iteration = count - 1
    for register in 0..<32 { data[register] = rows[register][iteration] }
    core.sreg = rows[BatchRows.sreg][iteration]
    for (index, address) in cells.enumerated() {
      data[Int(address)] = rows[BatchRows.cells + index][iteration]
    }
    core.skip(UInt64(count), of: loop)
  }

  /// Executes the path once in all iterations. Returns false if an instruction cannot be executed.
  private mutating func pass() -> Bool {
    valid = .max
    stack = startStack
    readingCount = 0
    for step in loop.steps {
      guard execute(step), valid & 1 != 0 else { return false }
    }
    return stack == startStack
  }
}

/// The effect of an instruction in all iterations.
extension IterationBatch {
  /// Executes one step. Returns false if the batch cannot execute it: addresses differ, it
  /// writes I/O registers, or it is rare.
  mutating func execute(_ step: PollLoop.Step) -> Bool {
    let d = Int(step.instruction.d)
    let r = Int(step.instruction.r)
    let k = UInt8(truncatingIfNeeded: step.instruction.k)
    let bit: UInt8 = 1 << (step.instruction.d & 7)
    switch step.instruction.operation {
    case .add: rows.combine(d, r) { StatusRegister.add($0, $1, carry: 0, &$2) }
    case .adc: rows.combine(d, r) { StatusRegister.add($0, $1, carry: $2 & 1, &$2) }
    case .sub: rows.combine(d, r) { StatusRegister.subtract($0, $1, &$2) }
    case .sbc: rows.combine(d, r) { StatusRegister.subtractWithCarry($0, $1, &$2) }
    case .cp: rows.combine(d, r, keepsResult: false) { StatusRegister.subtract($0, $1, &$2) }
    case .cpc:
      rows.combine(d, r, keepsResult: false) { StatusRegister.subtractWithCarry($0, $1, &$2) }
    case .and: rows.combine(d, r) { StatusRegister.logic($0 & $1, &$2) }
    case .or: rows.combine(d, r) { StatusRegister.logic($0 | $1, &$2) }
    case .eor: rows.combine(d, r) { StatusRegister.logic($0 ^ $1, &$2) }
    case .subi: rows.combine(d, constant: k) { StatusRegister.subtract($0, $1, &$2) }
    case .sbci: rows.combine(d, constant: k) { StatusRegister.subtractWithCarry($0, $1, &$2) }
    case .cpi:
      rows.combine(d, constant: k, keepsResult: false) { StatusRegister.subtract($0, $1, &$2) }
    case .andi: rows.combine(d, constant: k) { StatusRegister.logic($0 & $1, &$2) }
    case .ori: rows.combine(d, constant: k) { StatusRegister.logic($0 | $1, &$2) }
    case .com: rows.combine(d, d) { a, _, sreg in StatusRegister.complement(a, &sreg) }
    case .neg: rows.combine(d, d) { a, _, sreg in StatusRegister.subtract(0, a, &sreg) }
    case .inc: rows.combine(d, d) { a, _, sreg in StatusRegister.increment(a, &sreg) }
    case .dec: rows.combine(d, d) { a, _, sreg in StatusRegister.decrement(a, &sreg) }
    case .lsr: rows.combine(d, d) { a, _, sreg in StatusRegister.shiftRight(a, top: 0, &sreg) }
    case .ror:
      rows.combine(d, d) { a, _, sreg in StatusRegister.shiftRight(a, top: sreg << 7, &sreg) }
    case .asr:
      rows.combine(d, d) { a, _, sreg in StatusRegister.shiftRight(a, top: a & 0x80, &sreg) }
    case .swap: rows.combine(d, d) { a, _, _ in a << 4 | a >> 4 }
    case .adiw: rows.combineWord(d, UInt16(k)) { StatusRegister.addWord($0, $1, &$2) }
    case .sbiw: rows.combineWord(d, UInt16(k)) { StatusRegister.subtractWord($0, $1, &$2) }

    case .mov: rows.copy(r, to: d)
    case .movw:
      rows.copy(r, to: d)
      rows.copy(r + 1, to: d + 1)
    case .ldi: rows.fill(d, k)
    case .bclr:
      rows.combine(BatchRows.sreg, constant: bit, keepsResult: false) { _, bit, sreg in
        sreg &= ~bit
        return sreg
      }
    case .bset:
      // SEI delays interrupts by one instruction: left to normal execution.
      guard bit != StatusRegister.I else { return false }
      rows.combine(BatchRows.sreg, constant: bit, keepsResult: false) { _, bit, sreg in
        sreg |= bit
        return sreg
      }
    case .nop: break

    case .brbs, .brbc, .sbrc, .sbrs, .cpse, .sbic, .sbis: return decide(step)
    case .rjmp, .jmp: break
    case .rcall, .call:
      let back = step.pc + Int(step.instruction.words)
      return push { $0.fill($1, UInt8(truncatingIfNeeded: back)) }
        && push { $0.fill($1, UInt8(truncatingIfNeeded: back >> 8)) }
    case .ret:
      guard let high = pop(), let low = pop() else { return false }
      let target = step.next
      valid &= rows.bits(high) { $0 == UInt8(truncatingIfNeeded: target >> 8) }
      valid &= rows.bits(low) { $0 == UInt8(truncatingIfNeeded: target) }
    case .push: return push { $0.copy(d, to: $1) }
    case .pop:
      guard let row = pop() else { return false }
      rows.copy(row, to: d)

    case .in, .lds, .ldX, .ldXIncrement, .lddY, .lddZ, .ldZIncrement: return load(step)
    case .out, .sts, .stX, .stXIncrement, .stdY, .stdZ, .stZIncrement: return store(step)

    case .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu, .ijmp, .icall, .reti, .ldXDecrement,
      .ldYIncrement, .ldYDecrement, .ldZDecrement, .stXDecrement, .stYIncrement, .stYDecrement,
      .stZDecrement, .lpmR0, .lpm, .lpmIncrement, .spm, .spmIncrement, .sbi, .cbi, .bst, .bld,
      .sleep, .wdr, .break, .reserved, .erased, .outside, .entry:
      return false
    }
    return true
  }

  /// A conditional branch or a skip. Iterations that leave the recorded path are no longer valid.
  private mutating func decide(_ step: PollLoop.Step) -> Bool {
    let instruction = step.instruction
    let d = Int(instruction.d)
    let taken: UInt64
    switch instruction.operation {
    case .brbs, .brbc:
      // A branch to the next instruction takes the same path either way.
      if instruction.k == step.pc + 1 { return true }
      let bit: UInt8 = 1 << (instruction.d & 7)
      let isSet = rows.bits(BatchRows.sreg) { $0 & bit != 0 }
      taken = instruction.operation == .brbs ? isSet : ~isSet
    case .cpse: taken = rows.bits(rows[d], equal: rows[Int(instruction.r)])
    case .sbrc, .sbrs:
      let bit: UInt8 = 1 << (instruction.r & 7)
      let isSet = rows.bits(d) { $0 & bit != 0 }
      taken = instruction.operation == .sbrs ? isSet : ~isSet
    default:
      let bit: UInt8 = 1 << (instruction.r & 7)
      guard readIO(UInt16(instruction.k), step, into: BatchRows.spare) else { return false }
      let isSet = rows.bits(BatchRows.spare) { $0 & bit != 0 }
      taken = instruction.operation == .sbis ? isSet : ~isSet
    }
    valid &= step.next == step.pc + 1 ? ~taken : taken
    return true
  }
}

/// Loads and stores. The address must be the same in all iterations.
extension IterationBatch {
  /// The address that an instruction accesses, and its pointer register if it changes that; nil if
  /// the iterations disagree on the address.
  private func place(_ instruction: Instruction) -> (address: UInt16, moved: Int?)? {
    func pointer(_ register: Int) -> UInt16? {
      guard let low = rows.uniform(register), let high = rows.uniform(register + 1) else {
        return nil
      }
      return UInt16(high) << 8 | UInt16(low)
    }
    let k = UInt16(truncatingIfNeeded: instruction.k)
    switch instruction.operation {
    case .ldX, .stX: return pointer(26).map { ($0, nil) }
    case .ldXIncrement, .stXIncrement: return pointer(26).map { ($0, 26) }
    case .lddY, .stdY: return pointer(28).map { ($0 &+ k, nil) }
    case .lddZ, .stdZ: return pointer(30).map { ($0 &+ k, nil) }
    case .ldZIncrement, .stZIncrement: return pointer(30).map { ($0, 30) }
    default: return (k, nil)
    }
  }

  mutating func load(_ step: PollLoop.Step) -> Bool {
    guard let place = place(step.instruction),
      !interpreter.isWatched(place.address, ProbeMarks.read)
    else { return false }
    let d = Int(step.instruction.d)
    switch Int(place.address) {
    case DataSpace.SREG: rows.copy(BatchRows.sreg, to: d)
    case DataSpace.SPL: rows.fill(d, UInt8(truncatingIfNeeded: stack))
    case DataSpace.SPH: rows.fill(d, UInt8(truncatingIfNeeded: stack >> 8))
    case DataSpace.io:
      guard readIO(place.address, step, into: d) else { return false }
    case DataSpace.sram:
      guard let row = cell(place.address) else { return false }
      rows.copy(row, to: d)
    default: return false
    }
    move(place.moved, past: place.address)
    return true
  }

  mutating func store(_ step: PollLoop.Step) -> Bool {
    guard let place = place(step.instruction),
      !interpreter.isWatched(place.address, ProbeMarks.write)
    else { return false }
    let d = Int(step.instruction.d)
    if Int(place.address) == DataSpace.SREG {
      // Enabling interrupts delays them by one instruction; none is due before the deadline.
      rows.copy(d, to: BatchRows.sreg)
      return true
    }
    guard canStore(at: place.address), let row = cell(place.address) else { return false }
    rows.copy(d, to: row)
    move(place.moved, past: place.address)
    return true
  }

  private func move(_ pointer: Int?, past address: UInt16) {
    guard let pointer else { return }
    let next = address &+ 1
    rows.fill(pointer, UInt8(truncatingIfNeeded: next))
    rows.fill(pointer + 1, UInt8(truncatingIfNeeded: next >> 8))
  }

  mutating func push(_ write: (BatchRows, Int) -> Void) -> Bool {
    guard canStore(at: stack), let row = cell(stack) else { return false }
    write(rows, row)
    stack &-= 1
    return true
  }

  /// Returns the row of the byte popped from the stack.
  mutating func pop() -> Int? {
    guard DataSpace.sram.contains(Int(stack) + 1),
      !interpreter.isWatched(stack &+ 1, ProbeMarks.read)
    else { return nil }
    stack &+= 1
    return cell(stack)
  }

  private func canStore(at address: UInt16) -> Bool {
    DataSpace.sram.contains(Int(address)) && interpreter.canStoreUnseen(at: address)
  }

  /// Reads an I/O register, if reading has no effect, at each iteration's own time.
  mutating func readIO(_ address: UInt16, _ step: PollLoop.Step, into row: Int) -> Bool {
    let drift = Peripherals.drift(of: address)
    guard drift != .none else {
      guard let value = peripherals.peek(address, at: start) else { return false }
      rows.fill(row, value)
      return true
    }
    let (iterations, period, peripherals) = (iterations, loop.period, peripherals)
    let first = start + step.offset + step.instruction.operation.accessCycles - 1
    return reading(into: row) { values in
      guard let value = peripherals.peek(address, at: first) else { return false }
      values.update(repeating: value, count: BatchRows.columns)
      if drift == .setsFlags {
        // Flags stay set, so if both ends agree, everything in between does too.
        return peripherals.peek(address, at: first + UInt64(iterations - 1) * period) == value
      }
      return peripherals.count(
        address, from: first, every: period, samples: iterations, into: values)
    }
  }

  /// Returns the row of a byte of memory.
  private mutating func cell(_ address: UInt16) -> Int? {
    if let index = cells.firstIndex(of: address) { return BatchRows.cells + index }
    guard cells.count < BatchRows.cellsMax else { return nil }
    cells.append(address)
    let row = BatchRows.cells + cells.count - 1
    rows.fill(row, data[Int(address)])
    return row
  }
}
