/// What a recorded run knows about each byte of the memory: which bits have a value, and where
/// return addresses are.
///
/// A bit has no value if it is in memory that was never written, or that belonged to a function
/// that has returned. Copies pass that on, and so does a calculation whose result depends on it
/// (Seward and Nethercote, "Using Valgrind to detect undefined value errors with bit-precision").
/// It is an error only where it matters: if it decides a branch, is used as an address, or is
/// written to an I/O register. What the core's start-up code clears, all static variables, and all
/// registers after a reset have a value.
struct MemoryWatch: Sendable {
  /// What a bit of `marks` says about a byte.
  private enum Mark {
    /// The higher or the lower half of a return address, which a call has pushed.
    static let high: UInt8 = 1
    static let low: UInt8 = 2
    /// Computed from the stack pointer by the function that is running.
    static let fromStack: UInt8 = 4
    /// A byte of the SRAM has been written.
    static let written: UInt8 = 8
  }

  /// A store over a return address.
  private struct Overwriting: Sendable {
    var address: Int
    var place: RunRecord.Place
  }

  /// Later stores are forgotten.
  private static let overwritingsMax = 16

  /// The bits without a value of each byte of the data space.
  private(set) var unset: [UInt8]
  private var marks = [UInt8](repeating: 0, count: DataSpace.count)
  /// The bits of the status register without a value.
  private(set) var unsetStatus: UInt8 = 0
  /// The registers that have bits without a value, and those that have a mark: a bit for each.
  private var unsetRegisters: UInt32 = 0
  private var markedRegisters: UInt32 = 0
  private var overwritings: [Overwriting] = []
  /// Whether what is below the stack pointer can be another task's.
  private var hasTasks: Bool
  /// The end of the variables and of the heap. From there up to the stack pointer, the memory is
  /// free, and only a program that measures its stack reads it.
  var heapEnd: UInt16
  private let variablesEnd: UInt16?

  /// Begins at power-on: behind the static variables, nothing has a value. Of a chip that has run
  /// already, and if it is not known where they end, all that was never written has one.
  init(_ core: Core, _ layout: ProgramLayout) {
    unset = [UInt8](repeating: 0, count: DataSpace.count)
    variablesEnd = layout.staticEnd
    heapEnd = layout.staticEnd ?? 0
    hasTasks = layout.staticEnd == nil
    guard core.cycle == 0, let end = layout.staticEnd else { return }
    for address in Int(end)..<DataSpace.count { unset[address] = 0xFF }
  }

  /// The SRAM keeps its contents. The registers have any, but a program sets those that it uses.
  mutating func restart() {
    for register in DataSpace.registers { set(register, 0) }
    unsetStatus = 0
    for address in marks.indices { marks[address] &= Mark.written }
    markedRegisters = 0
    overwritings = []
    hasTasks = variablesEnd == nil
    heapEnd = variablesEnd ?? 0
  }

  // MARK: The stack

  /// Whether a register has what was computed from the stack pointer.
  func isFromStack(_ register: UInt8) -> Bool {
    marks[Int(register)] & Mark.fromStack != 0
  }

  /// Takes a return address that a call or an interrupt has pushed; `stack` is the stack pointer
  /// before it. One that only makes room leaves no value there.
  mutating func pushReturn(at stack: UInt16, isRoom: Bool = false) {
    let low = Int(stack)
    guard DataSpace.sram.contains(low), DataSpace.sram.contains(low - 1) else { return }
    if !overwritings.isEmpty {
      overwritings.removeAll { $0.address == low || $0.address == low - 1 }
    }
    for (address, mark) in [(low, Mark.low), (low - 1, Mark.high)] {
      unset[address] = isRoom && !hasTasks ? 0xFF : 0
      marks[address] = isRoom ? Mark.written : mark | Mark.written
    }
  }

  /// Forgets the values from one stack pointer up to another: interrupts can overwrite them.
  mutating func discard(from stack: UInt16, to end: UInt16) {
    guard stack < end else { return }
    for address in Int(stack) + 1...Int(end) where DataSpace.sram.contains(address) {
      if !hasTasks { unset[address] = 0xFF }
      marks[address] &= Mark.written
    }
  }

  /// Notes that the program switches between stacks: what was below the stack pointer was not gone.
  mutating func noteTasks() {
    hasTasks = true
    for address in DataSpace.sram where marks[address] & Mark.written != 0 { unset[address] = 0 }
    for register in DataSpace.registers { set(register, 0) }
    unsetStatus = 0
  }

  /// Whether what is taken as a return address from above the stack pointer has a half of a call's,
  /// but is not one.
  func isTorn(at stack: UInt16) -> Bool {
    let high = Int(stack) + 1
    guard DataSpace.sram.contains(high), DataSpace.sram.contains(high + 1) else { return false }
    let halves = Mark.high | Mark.low
    let found = (marks[high] & halves, marks[high + 1] & halves)
    return found != (0, 0) && found != (Mark.high, Mark.low)
  }

  /// What last wrote over the return address that was stored at a stack pointer.
  func overwriter(at stack: UInt16) -> RunRecord.Place? {
    overwritings.last { $0.address == Int(stack) || $0.address == Int(stack) - 1 }?.place
  }

  // MARK: Values

  private mutating func set(_ address: Int, _ bits: UInt8) {
    unset[address] = bits
    guard address < DataSpace.registers.count else { return }
    if bits == 0 {
      unsetRegisters &= ~(1 << UInt32(address))
    } else {
      unsetRegisters |= 1 << UInt32(address)
    }
  }

  private mutating func mark(_ register: Int, _ mark: UInt8) {
    marks[register] = mark
    if mark == 0 {
      markedRegisters &= ~(1 << UInt32(register))
    } else {
      markedRegisters |= 1 << UInt32(register)
    }
  }

  private mutating func setStatus(_ mask: UInt8, _ isUnset: Bool) {
    if isUnset { unsetStatus |= mask } else { unsetStatus &= ~mask }
  }

  /// Copies what is known of a byte to a register.
  private mutating func copy(_ source: Int, to register: Int) {
    set(register, unset[source])
    mark(register, marks[source] & ~Mark.written)
  }

  /// All bits from the lowest on, to which a carry can come.
  private static func carried(_ bits: UInt8) -> UInt8 { bits | (0 &- bits) }

  /// Takes an instruction that is about to be executed at a place. Returns where it uses a value
  /// that was never set, if it does.
  mutating func take(
    _ instruction: Instruction, _ core: Core, _ data: UnsafePointer<UInt8>,
    at place: RunRecord.Place
  ) -> MemoryFault.Use? {
    let d = Int(instruction.d)
    let k = Int(instruction.k)
    switch instruction.operation {
    case .nop, .wdr, .sleep, .break, .rjmp, .jmp, .call, .rcall, .ret, .reti, .sbi, .cbi, .sbic,
      .sbis, .reserved, .erased, .outside, .entry:
      return nil
    case .ijmp, .icall: return usesPointer(30)

    case .push:
      let address = Int(core.sp)
      guard DataSpace.sram.contains(address) else { return nil }
      unset[address] = unset[d]
      marks[address] = marks[d] | Mark.written
      return nil
    case .pop:
      let address = Int(core.sp) + 1
      guard DataSpace.sram.contains(address) else { return nil }
      copy(address, to: d)
      discard(from: core.sp, to: core.sp + 1)
      return nil

    case .in, .lds: return load(k, d, core.sp)
    case .ldX, .ldXIncrement, .ldXDecrement, .ldYIncrement, .ldYDecrement, .lddY, .ldZIncrement,
      .ldZDecrement, .lddZ:
      let (address, pointer) = Self.place(instruction, data)
      if let use = usesPointer(pointer) { return use }
      return load(address, d, core.sp)
    case .out, .sts: return store(d, k, place)
    case .stX, .stXIncrement, .stXDecrement, .stYIncrement, .stYDecrement, .stdY, .stZIncrement,
      .stZDecrement, .stdZ:
      let (address, pointer) = Self.place(instruction, data)
      if let use = usesPointer(pointer) { return use }
      return store(d, address, place)
    case .lpmR0, .lpm, .lpmIncrement:
      let use = usesPointer(30)
      let register = instruction.operation == .lpmR0 ? 0 : d
      set(register, 0)
      mark(register, 0)
      return use
    case .spm, .spmIncrement: return usesPointer(30)

    default:
      // Usually all registers have values, and none is computed from the stack.
      guard unsetRegisters | markedRegisters != 0 || unsetStatus != 0 else { return nil }
      return calculate(instruction, core, data)
    }
  }

  /// The address of a load or a store through a pointer, and the pointer's register.
  private static func place(
    _ instruction: Instruction, _ data: UnsafePointer<UInt8>
  ) -> (address: Int, pointer: Int) {
    func word(_ register: Int) -> UInt16 {
      UInt16(data[register]) | UInt16(data[register + 1]) << 8
    }
    let offset = UInt16(truncatingIfNeeded: instruction.k)
    switch instruction.operation {
    case .ldXDecrement, .stXDecrement: return (Int(word(26) &- 1), 26)
    case .ldX, .ldXIncrement, .stX, .stXIncrement: return (Int(word(26)), 26)
    case .ldYDecrement, .stYDecrement: return (Int(word(28) &- 1), 28)
    case .ldYIncrement, .stYIncrement: return (Int(word(28)), 28)
    case .lddY, .stdY: return (Int(word(28) &+ offset), 28)
    case .ldZDecrement, .stZDecrement: return (Int(word(30) &- 1), 30)
    case .ldZIncrement, .stZIncrement: return (Int(word(30)), 30)
    default: return (Int(word(30) &+ offset), 30)
    }
  }

  private mutating func load(
    _ address: Int, _ register: Int, _ stack: UInt16
  ) -> MemoryFault.Use? {
    switch address {
    case DataSpace.SREG:
      set(register, unsetStatus)
      mark(register, 0)
    case DataSpace.SPL, DataSpace.SPH:
      set(register, 0)
      mark(register, Mark.fromStack)
    case DataSpace.io, DataSpace.count...:
      set(register, 0)
      mark(register, 0)
    default:
      let isFree = address >= Int(heapEnd) && address <= Int(stack)
      set(register, isFree ? 0 : unset[address])
      mark(register, 0)
    }
    return nil
  }

  private mutating func store(
    _ register: Int, _ address: Int, _ place: RunRecord.Place
  ) -> MemoryFault.Use? {
    switch address {
    case DataSpace.SREG: unsetStatus = unset[register]
    // A program can keep the stack pointer of a task in what was that task's stack.
    case DataSpace.SPL, DataSpace.SPH: set(register, 0)
    case DataSpace.io:
      guard unset[register] != 0 else { return nil }
      set(register, 0)
      return .io
    case DataSpace.count...: break
    case DataSpace.registers:
      set(address, unset[register])
      mark(address, 0)
    default:
      unset[address] = unset[register]
      defer { marks[address] = Mark.written }
      if marks[address] & (Mark.high | Mark.low) != 0 {
        if overwritings.count >= Self.overwritingsMax { overwritings.removeFirst() }
        overwritings.append(Overwriting(address: address, place: place))
      }
    }
    return nil
  }

  private mutating func usesPointer(_ register: Int) -> MemoryFault.Use? {
    guard unsetRegisters >> UInt32(register) & 3 != 0 else { return nil }
    set(register, 0)
    set(register + 1, 0)
    return .address
  }

  private mutating func calculate(
    _ instruction: Instruction, _ core: Core, _ data: UnsafePointer<UInt8>
  ) -> MemoryFault.Use? {
    typealias Status = StatusRegister
    let operation = instruction.operation
    let (d, r) = (Int(instruction.d), Int(instruction.r))
    let constant = UInt8(truncatingIfNeeded: instruction.k)
    let (left, right) = (unset[d], unset[r & 31])
    let (a, b) = (data[d], data[r & 31])
    let carry: UInt8 = unsetStatus & Status.C
    let all = Status.C | Status.Z | Status.N | Status.V | Status.S | Status.H

    /// Whether a result without some bits is not 0 all the same.
    func isNonzero(_ value: UInt8, _ bits: UInt8) -> Bool { value & ~bits != 0 }
    /// Takes the result of a logical operation.
    func logic(_ value: UInt8, _ bits: UInt8) {
      set(d, bits)
      setStatus(Status.Z, bits != 0 && !isNonzero(value, bits))
      setStatus(Status.N | Status.S, bits & 0x80 != 0)
      setStatus(Status.V, false)
    }
    /// Takes a difference, of which the second part has these bits without a value.
    func subtract(_ value: UInt8, _ other: UInt8, _ right: UInt8, borrows: Bool, stores: Bool) {
      let bits = Self.carried(left | right | (borrows ? carry : 0))
      let difference = value &- other &- (borrows ? core.sreg & Status.C : 0)
      let isCertain = !borrows || carry == 0
      let differs =
        isNonzero(difference, bits)
        || isCertain && (difference == 0 ? 0 : value ^ other) & ~(left | right) != 0
      // With a borrow, Z stays 0 if it was.
      let wasNonzero = borrows && unsetStatus & Status.Z == 0 && core.sreg & Status.Z == 0
      let wasUnset = borrows && unsetStatus & Status.Z != 0
      setStatus(Status.Z, (bits != 0 || wasUnset) && !differs && !wasNonzero)
      setStatus(all & ~Status.Z, bits != 0)
      if stores { set(d, bits) }
    }
    /// Takes a shift to the right.
    func shift(_ bits: UInt8) {
      set(d, bits)
      setStatus(Status.C, left & 1 != 0)
      setStatus(Status.Z, bits != 0)
      setStatus(Status.N, bits & 0x80 != 0)
      setStatus(Status.V | Status.S, (left & 1 | bits & 0x80) != 0)
    }

    switch operation {
    case .mov: copy(r, to: d)
    case .movw:
      copy(r, to: d)
      copy(r + 1, to: d + 1)
    case .ldi:
      set(d, 0)
      mark(d, 0)
    case .swap: set(d, left << 4 | left >> 4)

    case .add, .adc:
      let carry = operation == .adc ? carry : 0
      // A shift to the left.
      let bits = d == r ? left << 1 | carry : Self.carried(left | right | carry)
      set(d, bits)
      mark(d, marks[d] | marks[r])
      setStatus(all, bits != 0)
      setStatus(Status.C, d == r ? left & 0x80 != 0 : bits != 0)
    case .sub where d == r, .eor where d == r:
      set(d, 0)
      mark(d, 0)
      setStatus(operation == .sub ? all : all & ~(Status.C | Status.H), false)
    case .sub:
      mark(d, marks[d] | marks[r])
      subtract(a, b, right, borrows: false, stores: true)
    case .sbc:
      mark(d, marks[d] | marks[r])
      if d == r {
        // All bits are the carry.
        set(d, carry == 0 ? 0 : 0xFF)
        setStatus(all, carry != 0)
      } else {
        subtract(a, b, right, borrows: true, stores: true)
      }
    case .subi: subtract(a, constant, 0, borrows: false, stores: true)
    case .sbci: subtract(a, constant, 0, borrows: true, stores: true)
    case .cp: subtract(a, b, right, borrows: false, stores: false)
    case .cpc: subtract(a, b, right, borrows: true, stores: false)
    case .cpi: subtract(a, constant, 0, borrows: false, stores: false)
    case .neg:
      let bits = Self.carried(left)
      set(d, bits)
      setStatus(all, bits != 0)
    case .inc, .dec:
      let bits = Self.carried(left)
      set(d, bits)
      setStatus(Status.Z | Status.N | Status.V | Status.S, bits != 0)
    case .adiw, .sbiw:
      let low = Self.carried(left)
      let high = low == 0 ? Self.carried(unset[d + 1]) : 0xFF
      set(d, low)
      set(d + 1, high)
      setStatus(all & ~Status.H, low | high != 0)
    case .mul, .muls, .mulsu, .fmul, .fmuls, .fmulsu:
      let isUnset = left | right != 0
      for register in 0...1 {
        set(register, isUnset ? 0xFF : 0)
        mark(register, 0)
      }
      setStatus(Status.C | Status.Z, isUnset)

    case .and:
      mark(d, marks[d] | marks[r])
      logic(a & b, left & right | left & b | right & a)
    case .andi: logic(a & constant, left & constant)
    case .or:
      mark(d, marks[d] | marks[r])
      logic(a | b, left & right | left & ~b | right & ~a)
    case .ori: logic(a | constant, left & ~constant)
    case .eor:
      mark(d, marks[d] | marks[r])
      logic(a ^ b, left | right)
    case .com:
      logic(~a, left)
      setStatus(Status.C, false)
    case .lsr: shift(left >> 1)
    case .ror: shift(left >> 1 | (carry == 0 ? 0 : 0x80))
    case .asr: shift(left >> 1 | left & 0x80)

    case .bset, .bclr: setStatus(1 << instruction.d, false)
    case .bst: setStatus(Status.T, left >> instruction.r & 1 != 0)
    case .bld:
      let bit: UInt8 = 1 << instruction.r
      set(d, unsetStatus & Status.T == 0 ? left & ~bit : left | bit)

    case .brbs, .brbc:
      guard unsetStatus >> instruction.d & 1 != 0 else { return nil }
      unsetStatus = 0
      return .branch
    case .sbrc, .sbrs:
      guard left >> instruction.r & 1 != 0 else { return nil }
      set(d, left & ~(1 << instruction.r))
      return .branch
    case .cpse:
      guard left | right != 0, (a ^ b) & ~(left | right) == 0 else { return nil }
      set(d, 0)
      set(r, 0)
      return .branch
    default: break
    }
    return nil
  }
}

/// What a program does that a correct one does not.
package enum MemoryFault: Hashable, Sendable {
  /// For what a value is used that was never set.
  package enum Use: Hashable, Sendable {
    case branch, address, io
  }

  /// The stack has grown into the heap, or into the variables.
  case stack(isInHeap: Bool)
  /// The program has jumped out of its code, to a byte address.
  case jump(to: UInt32)
  /// A function or an interrupt has not returned to where it was called, but to a byte address:
  /// what was on the stack is not what the call had pushed.
  case wrongReturn(to: UInt16, by: RunRecord.Place?)
  /// An interrupt has interrupted itself this often.
  case nested(vector: UInt8, count: Int)
  /// A value is used that was never set.
  case unset(Use)
}
