/// The functions that were running at a moment, innermost first, with their variables.
package struct CallStack: Sendable {
  package struct Frame: Hashable, Sendable {
    package var place: SourcePlace
    /// The byte address of the next instruction: of the innermost frame the one that runs next, of
    /// the others the one to which the call returns.
    package var address: UInt16
    /// Whether it was inlined into the next frame.
    package var isInlined = false
    /// Whether it is the handler of an interrupt, which came in the middle of the next frame.
    package var isInterrupt = false
    package var variables: [DebugVariable] = []
  }

  package private(set) var frames: [Frame] = []
  /// Whether it goes down to `main`, or to the start of the program.
  package private(set) var isWhole = false

  /// Deeper stacks are not shown.
  private static let depthMax = 64
  /// GCC's name for the handler of an interrupt.
  private static let handler = "__vector_"

  /// The stack of a chip whose run has been recorded since its start. Without a record, the
  /// program's frame tables alone say where the callers are, which they cannot at a function's end.
  package init(of chip: ATmega328P, _ map: SourceMap) {
    // The outermost first, each with the stack pointer before its return address was stored.
    var calls = chip.runRecord.map { record in
      record.frames.map { (stack: $0.stack, vector: record.tree[$0.node].call.vector) }
    }
    var state = FrameState(
      registers: (0..<32).map { chip[data: $0] }, stackPointer: chip.stackPointer, canonical: nil,
      address: UInt32(chip.programCounter))
    var address = chip.programCounter
    while frames.count < Self.depthMax {
      let rule = map.frame(at: state.address)
      let call = calls?.popLast()
      let symbol = map.scopes(at: state.address).last?.place.function ?? ""
      let isLast = symbol == "main" || calls != nil && call == nil && rule == nil
      // Calls from before the record are found by the rules.
      if call == nil { calls = nil }
      state.canonical = call?.stack
      var shift: UInt16 = 0
      if let rule {
        let ruled = state.word(rule.register).map { $0 &+ UInt16(truncatingIfNeeded: rule.offset) }
        shift = Self.shift(rule, ruled, actual: call?.stack)
        state.canonical = state.canonical ?? ruled.map { $0 &+ shift }
      }
      let isInterrupt = call.map { $0.vector != nil } ?? symbol.hasPrefix(Self.handler)
      add(map, chip, state, address, isInterrupt: isInterrupt)
      if isLast {
        isWhole = true
        return
      }
      guard let canonical = state.canonical, canonical > state.stackPointer,
        let high = chip[data: canonical &- 1], let low = chip[data: canonical]
      else { return }
      restore(&state, rule, shift, chip)
      let back = UInt16(high) << 8 | UInt16(low)
      guard Int(back) < ProgramImage.flashSize / 2 else { return }
      address = back << 1
      state.stackPointer = canonical
      // The instruction before the return address is the call's, which can be the last one of a
      // line or function. An interrupt came before the instruction itself.
      state.address = isInterrupt ? UInt32(address) : UInt32(max(address, 1)) - 1
    }
  }

  /// How many bytes the function has pushed of which its rule does not know.
  ///
  /// GCC's rules leave out the status register, which the handler of an interrupt pushes after R1
  /// and R0 (seen in 5.4 and 15.2), and the registers that `__gcc_isr` pushes in the assembler.
  private static func shift(_ rule: FrameRule, _ ruled: UInt16?, actual: UInt16?) -> UInt16 {
    if let ruled, let actual, (1...4).contains(actual &- ruled) { return actual &- ruled }
    func saves(_ register: Int, at offset: Int) -> Bool {
      rule.saved.contains { $0.register == register && $0.offset == offset }
    }
    let leavesOut =
      saves(1, at: -2) && saves(0, at: -3)
      && rule.saved.contains { $0.offset == -4 && $0.register > 1 }
    return leavesOut ? 1 : 0
  }

  /// Restores the registers that the function has saved. What it has popped already is no longer
  /// on the stack, but in the registers.
  private func restore(
    _ state: inout FrameState, _ rule: FrameRule?, _ shift: UInt16, _ chip: ATmega328P
  ) {
    guard let rule, let canonical = state.canonical else {
      state.registers = [UInt8?](repeating: nil, count: 32)
      return
    }
    for saved in rule.saved {
      var place = canonical &+ UInt16(truncatingIfNeeded: saved.offset)
      if saved.register > 1 { place &-= shift }
      if place > state.stackPointer { state.registers[saved.register] = chip[data: place] }
    }
  }

  private mutating func add(
    _ map: SourceMap, _ chip: ATmega328P, _ state: FrameState, _ address: UInt16, isInterrupt: Bool
  ) {
    let scopes = map.scopes(at: state.address)
    guard let outermost = scopes.last else {
      let name = Hex.address(UInt32(address))
      frames.append(
        Frame(place: SourcePlace(function: name), address: address, isInterrupt: isInterrupt))
      return
    }
    var expression = DebugExpression(frame: state, chip: chip)
    if let function = outermost.entries.first, let base = map.debug.entries[function].location,
      let found = map.debug.expression(
        of: base, at: state.address, unit: map.debug.entries[function].unit)
    {
      expression.frameBase = expression.address(found)
    }
    var value = DebugValue(map, expression)
    for (number, scope) in scopes.enumerated() {
      let isLast = number == scopes.count - 1
      frames.append(
        Frame(
          place: scope.place, address: address, isInlined: !isLast,
          isInterrupt: isInterrupt && isLast, variables: value.variables(of: scope)))
    }
  }
}

extension DebugValue {
  /// More variables than a function has.
  private static let variablesMax = 64

  /// The parameters and variables that are known at the frame's address, those of inner blocks
  /// last.
  mutating func variables(of scope: SourceMap.Scope) -> [DebugVariable] {
    let debug = map.debug
    var found: [DebugVariable] = []
    for entry in scope.entries {
      for child in debug.entries[entry].children where found.count < Self.variablesMax {
        let variable = debug.entries[child]
        guard variable.tag == .parameter || variable.tag == .variable, !variable.isDeclaration
        else { continue }
        let name = debug.entries[debug.named(child)].name
        guard !name.isEmpty else { continue }
        let type = debug.type(of: child)
        found.append(
          DebugVariable(
            name: String(decoding: name, as: UTF8.self), type: self.name(of: type),
            value: text(bytes(of: child, size: size(of: type) ?? 0), type)))
      }
    }
    return found
  }

  private func bytes(of index: Int, size: Int) -> [UInt8?] {
    let debug = map.debug
    // The abstract entry of an inlined function can have the value.
    for index in [index, debug.named(index)] {
      let entry = debug.entries[index]
      if let location = entry.location {
        guard
          let found = debug.expression(
            of: location, at: expression.frame.address, unit: entry.unit), !found.isEmpty
        else { break }
        return expression.read(found, size: size)
      }
      if let constant = entry.constant {
        return (0..<size).map {
          $0 < 8 ? UInt8(truncatingIfNeeded: constant >> UInt64(8 * $0)) : nil
        }
      }
    }
    return [UInt8?](repeating: nil, count: size)
  }
}
