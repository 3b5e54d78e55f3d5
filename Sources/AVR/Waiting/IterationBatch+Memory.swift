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
    guard let place = place(step.instruction) else { return false }
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
    guard let place = place(step.instruction) else { return false }
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
    guard DataSpace.sram.contains(Int(stack) + 1) else { return nil }
    stack &+= 1
    return cell(stack)
  }

  private func canStore(at address: UInt16) -> Bool {
    DataSpace.sram.contains(Int(address))
      && access[Int(address)] & DataSpace.Access.specialWrite.rawValue == 0
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
