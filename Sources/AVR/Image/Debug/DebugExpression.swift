/// The state of the processor in a function's frame: of the innermost one its own, of the others
/// what can be restored.
struct FrameState: Sendable {
  /// The 32 registers; nil where a value is not known.
  var registers: [UInt8?]
  var stackPointer: UInt16
  /// The stack pointer before the call; nil if it is not known.
  var canonical: UInt16?
  /// The byte address by which the frame's code and variables are found.
  var address: UInt32

  /// The register pair, or the stack pointer as number 32.
  func word(_ register: Int) -> UInt16? {
    if register == 32 { return stackPointer }
    guard (0..<31).contains(register), let low = registers[register],
      let high = registers[register + 1]
    else { return nil }
    return UInt16(low) | UInt16(high) << 8
  }
}

/// Computes where a variable is and reads it (DWARF 5, 2.5 and 2.6).
struct DebugExpression {
  /// The operations of one expression, and the bytes of one variable.
  private static let stepsMax = 1_000
  private static let depthMax = 64
  static let sizeMax = 4_096

  let frame: FrameState
  let chip: ATmega328P
  /// The address of the function's frame; nil if it has none or it is not known.
  var frameBase: UInt64?

  private enum Place {
    /// At the address on the stack.
    case memory
    case register(Int)
    /// The value on the stack.
    case value
    case bytes(ArraySlice<UInt8>)
  }

  /// Reads a variable's bytes; nil for each that cannot be known.
  func read(_ expression: ArraySlice<UInt8>, size: Int) -> [UInt8?] {
    var found: [UInt8?] = []
    var state = State(expression)
    while !state.cursor.others.isEmpty, found.count <= Self.sizeMax {
      guard run(&state) else {
        state.isUnknown = true
        break
      }
      guard let piece = state.piece else { break }
      found += bytes(state, size: min(piece, Self.sizeMax))
      state.begin()
    }
    if state.isUnknown { return [UInt8?](repeating: nil, count: size) }
    if !state.isPieced { found = bytes(state, size: size) }
    let missing = max(0, size - found.count)
    return Array(found.prefix(size)) + [UInt8?](repeating: nil, count: missing)
  }

  /// The address that an expression gives, as of a function's frame.
  func address(_ expression: ArraySlice<UInt8>) -> UInt64? {
    var state = State(expression)
    guard run(&state), state.piece == nil else { return nil }
    switch state.place {
    // GCC states a frame in a register without an offset as that register.
    case .register(let number): return frame.word(number).map { UInt64($0) }
    case .memory, .value: return state.stack.last
    case .bytes: return nil
    }
  }

  /// Where the flash begins in the addresses of `memory`. In the file it begins at 0, as the data
  /// space does for the program's pointers.
  private static let flash: UInt64 = 1 << 40

  /// Reads memory; nil for bytes that reading could change, or that do not exist.
  func memory(at address: UInt64, size: Int) -> [UInt8?] {
    (0..<UInt64(size)).map { offset in
      let address = address &+ offset
      switch address {
      case Self.flash..<Self.flash + UInt64(ProgramImage.flashSize):
        return chip.flashByte(at: UInt16(address - Self.flash))
      case UInt64(ImageMemories.eeprom.lowerBound)..<UInt64(ImageMemories.eeprom.upperBound):
        let place = Int(address) - Int(ImageMemories.eeprom.lowerBound)
        return place < chip.eeprom.count ? chip.eeprom[place] : nil
      default: return chip[data: UInt16(truncatingIfNeeded: address)]
      }
    }
  }

  private struct State {
    var cursor: DebugCursor
    var stack: [UInt64] = []
    var place = Place.memory
    /// The size of the part of the variable that the location before is of.
    var piece: Int?
    var isPieced = false
    var isUnknown = false
    var steps = DebugExpression.stepsMax

    init(_ expression: ArraySlice<UInt8>) { cursor = DebugCursor(expression, at: 0) }

    mutating func begin() {
      stack = []
      place = .memory
      piece = nil
    }
  }

  private func bytes(_ state: State, size: Int) -> [UInt8?] {
    switch state.place {
    case .memory:
      guard let address = state.stack.last else { break }
      return memory(at: address, size: size)
    case .register(let number):
      if number == 32, size == 2 {
        return [UInt8(truncatingIfNeeded: frame.stackPointer), UInt8(frame.stackPointer >> 8)]
      }
      return (number..<number + size).map { $0 < 32 ? frame.registers[$0] : nil }
    case .value:
      guard let value = state.stack.last else { break }
      return (0..<size).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) : 0 }
    case .bytes(let bytes):
      return (0..<size).map { $0 < bytes.count ? bytes[bytes.startIndex + $0] : nil }
    }
    return [UInt8?](repeating: nil, count: size)
  }

  /// A register with those that follow it, as far as they are known, as a number.
  private func register(_ number: Int, plus offset: Int64) -> UInt64? {
    guard let low = frame.word(number) else { return nil }
    var value = UInt64(low)
    for index in 2..<4 where number + index < 32 && number < 31 {
      value |= UInt64(frame.registers[number + index] ?? 0) << UInt64(8 * index)
    }
    return value &+ UInt64(bitPattern: offset)
  }

  /// Runs to the end, or to the end of a piece. Returns false if the value is not known.
  private func run(_ state: inout State) -> Bool {
    while let byte = state.cursor.fixed(1) {
      state.steps -= 1
      guard state.steps > 0, state.stack.count < Self.depthMax else { return false }
      switch UInt8(byte) {
      case 0x30...0x4F: state.stack.append(byte - 0x30)
      case 0x50...0x6F: state.place = .register(Int(byte) - 0x50)
      case 0x70...0x8F:
        guard let offset = state.cursor.signed(),
          let value = register(Int(byte) - 0x70, plus: offset)
        else { return false }
        state.stack.append(value)
      default:
        guard let operation = DebugOperation(rawValue: UInt8(byte)), run(operation, &state) else {
          return false
        }
        if state.piece != nil { return true }
      }
    }
    return true
  }

  private func run(_ operation: DebugOperation, _ state: inout State) -> Bool {
    func push(_ value: UInt64?) -> Bool {
      guard let value else { return false }
      state.stack.append(value)
      return true
    }
    func extend(_ size: Int) -> UInt64? {
      state.cursor.fixed(size).map {
        let shift = UInt64(64 - 8 * size)
        return UInt64(bitPattern: Int64(bitPattern: $0 << shift) >> Int64(shift))
      }
    }
    switch operation {
    case .addr:
      guard let address = state.cursor.fixed(state.cursor.others.count >= 4 ? 4 : 2) else {
        return false
      }
      let isData = address >= UInt64(ImageMemories.ram.lowerBound)
      return push(isData ? address : address + Self.flash)
    case .const1u: return push(state.cursor.fixed(1))
    case .const2u: return push(state.cursor.fixed(2))
    case .const4u: return push(state.cursor.fixed(4))
    case .const8u, .const8s: return push(state.cursor.fixed(8))
    case .const1s: return push(extend(1))
    case .const2s: return push(extend(2))
    case .const4s: return push(extend(4))
    case .constu: return push(state.cursor.unsigned())
    case .consts: return push(state.cursor.signed().map { UInt64(bitPattern: $0) })
    case .regx:
      guard let number = state.cursor.unsigned(), number < 64 else { return false }
      state.place = .register(Int(number))
      return true
    case .bregx:
      guard let number = state.cursor.unsigned(), number < 64, let offset = state.cursor.signed()
      else { return false }
      return push(register(Int(number), plus: offset))
    case .fbreg:
      guard let offset = state.cursor.signed(), let frameBase else { return false }
      return push(frameBase &+ UInt64(bitPattern: offset))
    case .callFrameCFA: return push(frame.canonical.map { UInt64($0) })
    case .piece:
      guard let size = state.cursor.unsigned(), size <= UInt64(Self.sizeMax) else { return false }
      state.piece = Int(size)
      state.isPieced = true
      return true
    case .implicitValue:
      guard let count = state.cursor.unsigned(), let bytes = state.cursor.take(count) else {
        return false
      }
      state.place = .bytes(bytes)
      return true
    case .stackValue:
      state.place = .value
      return !state.stack.isEmpty
    case .nop: return true
    case .skip, .bra:
      guard let distance = state.cursor.fixed(2) else { return false }
      if operation == .bra {
        guard let value = state.stack.popLast() else { return false }
        if value == 0 { return true }
      }
      let target = state.cursor.position + Int(Int16(truncatingIfNeeded: distance))
      guard (0...state.cursor.bytes.count).contains(target) else { return false }
      state.cursor = DebugCursor(state.cursor.bytes, at: target)
      return true
    case .deref, .derefSize:
      var size: UInt64? = 2
      if operation == .derefSize { size = state.cursor.fixed(1) }
      guard let size, (1...8).contains(size), let address = state.stack.popLast() else {
        return false
      }
      var value: UInt64 = 0
      for (index, byte) in memory(at: address, size: Int(size)).enumerated() {
        guard let byte else { return false }
        value |= UInt64(byte) << UInt64(8 * index)
      }
      return push(value)
    case .dup: return push(state.stack.last)
    case .drop: return state.stack.popLast() != nil
    case .over, .pick:
      var index: UInt64? = 1
      if operation == .pick { index = state.cursor.fixed(1) }
      guard let index, index < UInt64(state.stack.count) else { return false }
      return push(state.stack[state.stack.count - 1 - Int(index)])
    case .rot:
      guard state.stack.count >= 3, let top = state.stack.popLast() else { return false }
      state.stack.insert(top, at: state.stack.count - 2)
      return true
    case .abs, .neg, .not, .plusUconst:
      guard let value = state.stack.popLast() else { return false }
      switch operation {
      case .abs: return push(Int64(bitPattern: value).magnitude)
      case .neg: return push(0 &- value)
      case .not: return push(~value)
      default: return push(state.cursor.unsigned().map { value &+ $0 })
      }
    case .swap:
      guard state.stack.count >= 2 else { return false }
      state.stack.swapAt(state.stack.count - 1, state.stack.count - 2)
      return true
    default:
      guard let second = state.stack.popLast(), let first = state.stack.popLast() else {
        return false
      }
      return push(Self.result(operation, first, second))
    }
  }

  private static func result(
    _ operation: DebugOperation, _ first: UInt64, _ second: UInt64
  ) -> UInt64? {
    let (a, b) = (Int64(bitPattern: first), Int64(bitPattern: second))
    switch operation {
    case .and: return first & second
    case .or: return first | second
    case .xor: return first ^ second
    case .plus: return first &+ second
    case .minus: return first &- second
    case .mul: return first &* second
    case .div:
      return b == 0 ? nil : UInt64(bitPattern: a.dividedReportingOverflow(by: b).partialValue)
    case .mod: return second == 0 ? nil : first % second
    case .shl: return second < 64 ? first << second : 0
    case .shr: return second < 64 ? first >> second : 0
    case .shra: return UInt64(bitPattern: a >> Int64(min(second, 63)))
    case .eq: return a == b ? 1 : 0
    case .ge: return a >= b ? 1 : 0
    case .gt: return a > b ? 1 : 0
    case .le: return a <= b ? 1 : 0
    case .lt: return a < b ? 1 : 0
    case .ne: return a != b ? 1 : 0
    default: return nil
    }
  }
}

extension ATmega328P {
  /// A byte of the flash, by its address.
  func flashByte(at address: UInt16) -> UInt8 {
    let word = flash.words[Int(address) / 2]
    return UInt8(truncatingIfNeeded: address & 1 == 0 ? word : word >> 8)
  }
}

/// The operations of a location's expression that are used by name (DWARF 5, 7.7.1).
enum DebugOperation: UInt8 {
  case addr = 0x03
  case deref = 0x06
  case const1u = 0x08, const1s, const2u, const2s, const4u, const4s, const8u, const8s, constu, consts
  case dup, drop, over, pick, swap, rot
  case abs = 0x19, and, div, minus, mod, mul, neg, not, or, plus, plusUconst
  case shl, shr, shra, xor, bra, eq, ge, gt, le, lt, ne, skip
  case regx = 0x90, fbreg, bregx, piece, derefSize
  case nop = 0x96
  case callFrameCFA = 0x9C
  case implicitValue = 0x9E, stackValue
}
