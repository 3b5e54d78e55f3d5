/// Where a program's `loop` is, so that its turns can be measured.
package enum LoopCode: Hashable, Sendable {
  /// A function of its own, at a byte address.
  case called(UInt16)
  /// A part of the function that repeats it: the byte addresses of the first instructions of a
  /// turn, and of those between two turns.
  case inlined(begin: Set<UInt16>, between: Set<UInt16>)
}

extension Decoder {
  fileprivate static func decode(_ words: [UInt16], at address: Int) -> Instruction {
    let next = address + 1 < words.count ? words[address + 1] : 0
    return decode(words[address], next: next, at: address)
  }
}

extension SourceMap {
  /// Returns where `loop` is; nil if the file does not show it, or not where one turn ends and the
  /// next begins.
  ///
  /// Where the compiler has made `loop` a part of `main`, the code alone does not tell its turns
  /// apart: `while (!ready());` at its beginning is the same as `if (!ready()) return;`. They can
  /// be told apart by what `main` does between them, as Arduino's calls `serialEventRun`.
  package func loopCode(in words: [UInt16]) -> LoopCode? {
    let name = "loop"
    let symbol = symbols.symbols.first {
      $0.memory == .flash && $0.kind == .function && $0.readableName == name
    }
    let outer = Set(inlinedCode(named: name).compactMap { functionEntry(at: $0.lowerBound) })
    // `loop` can also be inlined where it is called by itself.
    let main = outer.filter { self.name(of: $0) == "main" }
    let repeating = main.isEmpty ? outer : main
    if let symbol, repeating.isEmpty || calls(symbol.address, words) {
      return .called(symbol.address)
    }
    guard repeating.count == 1, let function = repeating.first else { return nil }
    return LoopFinder(self, function, name, words).found
  }

  /// Whether `main` calls the function at a byte address.
  private func calls(_ address: UInt16, _ words: [UInt16]) -> Bool {
    function(named: "main").contains { range in
      let end = min(Int(range.upperBound / 2), words.count)
      return stride(from: Int(range.lowerBound / 2), to: end, by: 1).contains {
        let instruction = Decoder.decode(words, at: $0)
        return [.call, .rcall].contains(instruction.operation)
          && instruction.k == UInt32(address / 2)
      }
    }
  }
}

/// Finds the turns of a function that is a part of another one: they end where the other one
/// executes lines of its own that follow the call.
///
/// Where the file counts code as the other function's, that is not certain: loads of constants, and
/// jumps, can have the line of anything before. The compiler also merges the same code of two
/// functions, as a call at the end of `setup` and one in `loop`. So a turn is not told by the code
/// around it, but by what cannot be anything else.
private struct LoopFinder {
  private struct Node {
    var address: UInt16
    var next: [Int] = []
    /// Whether it only moves a register, loads a constant, or jumps.
    var isPlain: Bool
    /// Whether it belongs to `loop`.
    var isLoop = false
    /// Whether it is of the other function, between two turns.
    var isBetween = false
  }

  private var nodes: [Node] = []

  /// - Parameters:
  ///   - function: the entry of the function that repeats `loop`.
  init(_ map: SourceMap, _ function: Int, _ name: String, _ words: [UInt16]) {
    var instructions: [Instruction] = []
    var indices: [UInt16: Int] = [:]
    for range in map.code(of: function) {
      var address = UInt16(clamping: range.lowerBound)
      while UInt32(address) < range.upperBound, Int(address / 2) < words.count {
        let instruction = Decoder.decode(words, at: Int(address / 2))
        // The ranges of a damaged file can overlap.
        if indices[address] == nil {
          indices[address] = nodes.count
          let isPlain = [.mov, .movw, .ldi, .rjmp, .jmp].contains(instruction.operation)
          nodes.append(Node(address: address, isPlain: isPlain))
          instructions.append(instruction)
        }
        address += 2 * UInt16(instruction.words)
      }
    }
    connect(instructions, indices)
    mark(map, name)
  }

  // MARK: The flow of control

  private mutating func connect(_ instructions: [Instruction], _ indices: [UInt16: Int]) {
    var isReached = [Bool](repeating: false, count: nodes.count)
    /// Jumps by a table, which can lead to all code to which nothing else does.
    var tableJumps: [Int] = []
    for (index, instruction) in instructions.enumerated() {
      func add(_ address: UInt32) {
        guard let target = UInt16(exactly: address).flatMap({ indices[$0] }) else { return }
        nodes[index].next.append(target)
        isReached[target] = true
      }
      let after = UInt32(nodes[index].address) + 2 * UInt32(instruction.words)
      switch instruction.operation {
      case .rjmp, .jmp:
        // `__tablejump2__` is outside of the function.
        if UInt16(exactly: 2 * instruction.k).flatMap({ indices[$0] }) == nil {
          tableJumps.append(index)
        }
        add(2 * instruction.k)
      case .ijmp: tableJumps.append(index)
      case .ret, .reti: break
      case .brbs, .brbc:
        add(2 * instruction.k)
        add(after)
      case .cpse, .sbrc, .sbrs, .sbic, .sbis:
        add(after)
        if let skipped = UInt16(exactly: after).flatMap({ indices[$0] }) {
          add(after + 2 * UInt32(instructions[skipped].words))
        }
      default: add(after)
      }
    }
    let unreached = nodes.indices.dropFirst().filter { !isReached[$0] }
    for index in tableJumps { nodes[index].next += unreached }
  }

  private mutating func mark(_ map: SourceMap, _ name: String) {
    var call: SourcePlace?
    var places: [SourcePlace?] = []
    for index in nodes.indices {
      let found = map.places(at: UInt32(nodes[index].address))
      places.append(found.last)
      guard let last = found.lastIndex(where: { $0.function == name }) else { continue }
      nodes[index].isLoop = true
      // The last of several calls.
      if last + 1 < found.count, found[last + 1].line > call?.line ?? 0 { call = found[last + 1] }
    }
    guard let call else { return }
    for index in nodes.indices where !nodes[index].isLoop && !nodes[index].isPlain {
      guard let place = places[index] else { continue }
      nodes[index].isBetween = place.file == call.file && place.line > call.line
    }
  }

  // MARK: The turns

  var found: LoopCode? {
    let cycles = cycles.filter { cycle in
      cycle.contains { nodes[$0].isLoop } && cycle.contains { nodes[$0].isBetween }
    }
    guard cycles.count == 1, let cycle = cycles.first else { return nil }
    let between = cycle.filter { nodes[$0].isBetween }
    var begin: Set<Int> = []
    var path = between.flatMap { nodes[$0].next }
    while let node = path.popLast() {
      guard !nodes[node].isBetween, begin.insert(node).inserted, nodes[node].isPlain else {
        continue
      }
      path += nodes[node].next
    }
    return .inlined(
      begin: Set(begin.map { nodes[$0].address }),
      between: Set(between.map { nodes[$0].address }))
  }

  /// The sets of instructions that can each be reached from each other: the outermost loops. By
  /// Tarjan's algorithm.
  private var cycles: [[Int]] {
    var found: [[Int]] = []
    var number = [Int](repeating: 0, count: nodes.count)
    var low = number
    var isOnStack = [Bool](repeating: false, count: nodes.count)
    var stack: [Int] = []
    var count = 0
    for root in nodes.indices where number[root] == 0 {
      // The instructions on the way from the root, each with the number of its successors seen.
      var path: [(node: Int, seen: Int)] = [(root, 0)]
      while let (node, seen) = path.last {
        if seen == 0 {
          count += 1
          (number[node], low[node]) = (count, count)
          stack.append(node)
          isOnStack[node] = true
        }
        if seen < nodes[node].next.count {
          path[path.count - 1].seen += 1
          let next = nodes[node].next[seen]
          if number[next] == 0 {
            path.append((next, 0))
          } else if isOnStack[next] {
            low[node] = min(low[node], number[next])
          }
          continue
        }
        path.removeLast()
        if let outer = path.last?.node { low[outer] = min(low[outer], low[node]) }
        guard low[node] == number[node] else { continue }
        let first = stack.lastIndex(of: node)!
        let members = Array(stack[first...])
        stack.removeSubrange(first...)
        for member in members { isOnStack[member] = false }
        if members.count > 1 || nodes[node].next.contains(node) { found.append(members) }
      }
    }
    return found
  }
}
