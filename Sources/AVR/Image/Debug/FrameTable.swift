/// The rules by which a function's caller is found: section .debug_frame, versions 1, 3 and 4.
struct FrameTable: Sendable {
  private struct Common: Sendable {
    var codeFactor: UInt64
    var dataFactor: Int64
    var instructions: ArraySlice<UInt8>
    var addressSize: Int
  }

  private struct Function: Sendable {
    var code: Range<UInt32>
    var common: Int
    var instructions: ArraySlice<UInt8>
  }

  /// Far more than a program for an ATmega328P has functions.
  private static let functionsMax = 50_000
  /// The instructions of one function's rules.
  private static let stepsMax = 20_000
  private static let depthMax = 64

  private var commons: [Common] = []
  private var functions: [Function] = []

  /// - Parameter isCode: whether a function can begin at this address (see `LineTable`).
  init(_ section: ArraySlice<UInt8>, isCode: (UInt32) -> Bool) {
    var indices: [UInt64: Int] = [:]
    var start = 0
    while start < section.count, functions.count < Self.functionsMax {
      var cursor = DebugCursor(section, at: start)
      guard let length = cursor.fixed(4), length <= UInt64(section.count - start - 4),
        let entry = cursor.take(length)
      else { break }
      defer { start += 4 + Int(length) }
      var fields = DebugCursor(entry, at: 0)
      guard let pointer = fields.fixed(4) else { continue }
      if pointer == 0xFFFF_FFFF {
        guard let common = Self.common(&fields) else { continue }
        indices[UInt64(start)] = commons.count
        commons.append(common)
      } else if let index = indices[pointer], let first = fields.fixed(commons[index].addressSize),
        let size = fields.fixed(commons[index].addressSize), size > 0,
        first < UInt64(ProgramImage.flashSize), size <= UInt64(ProgramImage.flashSize) - first,
        isCode(UInt32(first))
      {
        functions.append(
          Function(
            code: UInt32(first)..<UInt32(first + size), common: index, instructions: fields.others))
      }
    }
    functions.sort { $0.code.lowerBound < $1.code.lowerBound }
  }

  private static func common(_ fields: inout DebugCursor) -> Common? {
    guard let version = fields.fixed(1), [1, 3, 4].contains(version),
      // An augmentation would change the format.
      fields.fixed(1) == 0
    else { return nil }
    var addressSize = 4
    if version == 4 {
      guard let size = fields.fixed(1), [2, 4, 8].contains(size), fields.fixed(1) == 0 else {
        return nil
      }
      addressSize = Int(size)
    }
    guard let codeFactor = fields.unsigned(), let dataFactor = fields.signed(),
      (version == 1 ? fields.fixed(1) : fields.unsigned()) != nil
    else { return nil }
    return Common(
      codeFactor: codeFactor, dataFactor: dataFactor, instructions: fields.others,
      addressSize: addressSize)
  }

  func rule(at address: UInt32) -> FrameRule? {
    guard let function = functions.last(at: address, { $0.code }) else { return nil }
    let common = commons[function.common]
    var state = State()
    guard state.run(common.instructions, common, from: 0, until: .max) else { return nil }
    state.initial = state.saved
    let offset = UInt64(address - function.code.lowerBound)
    guard state.run(function.instructions, common, from: 0, until: offset),
      let register = state.register
    else { return nil }
    return FrameRule(
      register: register, offset: state.offset,
      saved: state.saved.map { SavedRegister(register: $0.key, offset: $0.value) }
        .filter { $0.register < 32 }.sorted { $0.register < $1.register })
  }

  /// The rules while a function's instructions are read (DWARF 5, 6.4.2).
  private struct State {
    /// Nil if the canonical frame address is given by an expression.
    var register: Int?
    var offset = 0
    var saved: [Int: Int] = [:]
    var initial: [Int: Int] = [:]
    private var stack: [(register: Int?, offset: Int, saved: [Int: Int])] = []
    private var steps = FrameTable.stepsMax

    /// Returns false if the rules are damaged or unknown.
    mutating func run(
      _ bytes: ArraySlice<UInt8>, _ common: Common, from start: UInt64, until end: UInt64
    ) -> Bool {
      var cursor = DebugCursor(bytes, at: 0)
      var place = start
      while let byte = cursor.fixed(1) {
        steps -= 1
        guard steps > 0 else { return false }
        let low = byte & 0x3F
        var isRead = true
        switch byte {
        case 0x40...0x7F: place &+= low &* common.codeFactor
        case 0x80...0xBF: isRead = save(Int(low), cursor.unsigned(), common)
        case 0xC0...0xFF: saved[Int(low)] = initial[Int(low)]
        case 0x00: break
        case 0x02, 0x03, 0x04:
          guard let delta = cursor.fixed(1 << Int(byte - 2)) else { return false }
          place &+= delta &* common.codeFactor
        case 0x05: isRead = save(number(cursor.unsigned()), cursor.unsigned(), common)
        case 0x06, 0x07, 0x08:
          guard let register = number(cursor.unsigned()) else { return false }
          saved[register] = byte == 0x06 ? initial[register] : nil
        case 0x0A:
          guard stack.count < FrameTable.depthMax else { return false }
          stack.append((register, offset, saved))
        case 0x0B:
          guard let last = stack.popLast() else { return false }
          (register, offset, saved) = last
        case 0x0C:
          register = number(cursor.unsigned())
          isRead = setOffset(cursor.unsigned().flatMap { Int64(exactly: $0) }, factor: 1)
        case 0x0D: register = number(cursor.unsigned())
        case 0x0E: isRead = setOffset(cursor.unsigned().flatMap { Int64(exactly: $0) }, factor: 1)
        case 0x11:
          guard let register = number(cursor.unsigned()), let value = cursor.signed() else {
            return false
          }
          saved[register] = Int(truncatingIfNeeded: value &* common.dataFactor)
        case 0x12:
          register = number(cursor.unsigned())
          isRead = setOffset(cursor.signed(), factor: common.dataFactor)
        case 0x13: isRead = setOffset(cursor.signed(), factor: common.dataFactor)
        // The size of arguments on the stack, which changes no rule.
        case 0x2E: isRead = cursor.unsigned() != nil
        // Expressions and other registers, which no compiler for the AVR writes.
        default: return false
        }
        guard isRead else { return false }
        if place > end { return true }
      }
      return true
    }

    private func number(_ value: UInt64?) -> Int? { value.flatMap { $0 < 64 ? Int($0) : nil } }

    private mutating func save(_ register: Int?, _ value: UInt64?, _ common: Common) -> Bool {
      guard let register, let value, value < 0x1_0000 else { return false }
      saved[register] = Int(truncatingIfNeeded: Int64(value) &* common.dataFactor)
      return true
    }

    private mutating func setOffset(_ value: Int64?, factor: Int64) -> Bool {
      guard let value else { return false }
      offset = Int(truncatingIfNeeded: value &* factor)
      return true
    }
  }
}
