/// What a program's file says about its code: by its debug information, and by its symbols where
/// there is none.
package struct SourceMap: Sendable {
  package enum Origin: Hashable, Sendable {
    /// Lines, frames and variables.
    case dwarf
    /// Debug information in the older format stabs, which is not read.
    case stabs
    case symbols
    /// Not even symbols, as in Intel HEX.
    case nothing
  }

  package let origin: Origin
  let debug: DebugInfo
  let symbols: SymbolTable
  private let lines: LineTable
  private let frames: FrameTable
  /// The functions' code, by address.
  private var functions: [(code: Range<UInt32>, entry: Int)] = []

  /// Scopes are rarely nested more deeply than this.
  private static let depthMax = 64
  /// The ranges of one scope, and of all functions.
  private static let rangesMax = (scope: 200, all: 100_000)

  /// That of a program of which nothing is known.
  package static var none: SourceMap { SourceMap(SymbolTable([]), DebugSections()) }

  init(_ symbols: SymbolTable, _ sections: DebugSections) {
    self.symbols = symbols
    let debug = DebugInfo(sections, hasCode: true)
    self.debug = debug
    var starts: Set<UInt32> = []
    for symbol in symbols.symbols where symbol.memory == .flash && symbol.kind == .function {
      starts.insert(UInt32(symbol.address))
    }
    var folders: [Int: String] = [:]
    for entry in debug.entries {
      guard let table = entry.lines else { continue }
      folders[table] = String(decoding: entry.folder, as: UTF8.self)
    }
    // The linker leaves what it has removed at address 0, where a program has its vectors.
    lines = LineTable(sections, folders: folders) { $0 > 0 || starts.contains(0) }
    frames = FrameTable(sections.frames) { $0 > 0 || starts.contains(0) }
    var budget = Self.rangesMax.all
    for (index, entry) in debug.entries.enumerated() where entry.tag == .subprogram {
      let code = debug.code(of: entry, max: min(budget, Self.rangesMax.scope))
      budget -= code.count
      guard let first = code.first else { continue }
      let begins = code.contains { starts.contains($0.lowerBound) }
      guard starts.isEmpty ? first.lowerBound > 0 : begins else { continue }
      functions += code.map { ($0, index) }
    }
    functions.sort { ($0.code.lowerBound, $0.entry) < ($1.code.lowerBound, $1.entry) }
    if !functions.isEmpty {
      origin = .dwarf
    } else if sections.hasStabs {
      origin = .stabs
    } else {
      origin = symbols.isEmpty ? .nothing : .symbols
    }
  }

  /// Whether it knows lines and variables, and not only symbols.
  package var hasLines: Bool { origin == .dwarf }

  /// The functions at a byte address of the flash, innermost first: the subroutines that were
  /// inlined there, and the function that contains them. Empty outside of all code.
  package func places(at address: UInt32) -> [SourcePlace] { scopes(at: address).map { $0.place } }

  /// A function at an address, with the entries in which its variables are: its own, and blocks.
  struct Scope {
    var place: SourcePlace
    var entries: [Int]
  }

  func scopes(at address: UInt32) -> [Scope] {
    let row = lines.row(at: address)
    var place = SourcePlace(function: "")
    if let row, row.file >= 0, row.line > 0 {
      place.file = lines.files[Int(row.file)]
      place.line = Int(row.line)
    }
    guard var entry = functionEntry(at: address) else {
      guard let address = UInt16(exactly: address), let symbol = symbols.function(at: address)
      else { return [] }
      place.function = symbol.readableName
      return [Scope(place: place, entries: [])]
    }
    place.function = name(of: entry)
    // The outermost first.
    var scopes = [Scope(place: place, entries: [entry])]
    for _ in 0..<Self.depthMax {
      guard let inner = innerScope(of: entry, at: address) else { break }
      entry = inner
      guard debug.entries[inner].tag == .inlinedSubroutine else {
        scopes[scopes.count - 1].entries.append(inner)
        continue
      }
      // The line is that of the innermost function; the others' is that of the call.
      let call = debug.entries[inner]
      var called = scopes[scopes.count - 1].place
      scopes[scopes.count - 1].place.file =
        lines.file(call.callFile, table: debug.lineTable(ofUnit: call.unit)) ?? ""
      scopes[scopes.count - 1].place.line = Int(clamping: call.callLine ?? 0)
      called.function = name(of: inner)
      scopes.append(Scope(place: called, entries: [inner]))
    }
    return scopes.reversed()
  }

  func functionEntry(at address: UInt32) -> Int? {
    functions.last(at: address, { $0.code })?.entry
  }

  private func innerScope(of entry: Int, at address: UInt32) -> Int? {
    debug.entries[entry].children.first { child in
      let entry = debug.entries[child]
      return (entry.tag == .inlinedSubroutine || entry.tag == .lexicalBlock)
        && debug.code(of: entry, max: Self.rangesMax.scope).contains { $0.contains(address) }
    }
  }

  /// The code of a function such as `loop` or `Servo::write`, also where it was inlined: ranges of
  /// byte addresses, in order. Empty if there is none of that name.
  package func function(named name: String) -> [Range<UInt32>] {
    let last = name.utf8.split(separator: UInt8(ascii: ":")).last ?? name.utf8[...]
    var found = inlinedCode(named: name)
    for (code, entry) in functions where has(entry, name, last) { found.append(code) }
    if found.isEmpty {
      found = symbols.symbols.filter {
        $0.memory == .flash && $0.kind != .object && $0.size > 0 && $0.readableName == name
      }.map { UInt32($0.address)..<UInt32($0.address) + $0.size }
    }
    return found.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }

  /// The code of a function where it was inlined.
  func inlinedCode(named name: String) -> [Range<UInt32>] {
    let last = name.utf8.split(separator: UInt8(ascii: ":")).last ?? name.utf8[...]
    var found: [Range<UInt32>] = []
    var budget = Self.rangesMax.all
    for (index, entry) in debug.entries.enumerated()
    where entry.tag == .inlinedSubroutine && has(index, name, last) {
      let code = debug.code(of: entry, max: min(budget, Self.rangesMax.scope))
      budget -= code.count
      found += code.filter { $0.lowerBound > 0 }
    }
    return found
  }

  /// The code of the function of an entry, in order.
  func code(of function: Int) -> [Range<UInt32>] {
    functions.filter { $0.entry == function }.map { $0.code }
  }

  private func has(_ entry: Int, _ name: String, _ last: Substring.UTF8View.SubSequence) -> Bool {
    debug.entries[debug.named(entry)].name.elementsEqual(last) && self.name(of: entry) == name
  }

  /// A function's name, with those of its classes and namespaces.
  func name(of entry: Int) -> String {
    debug.qualifiedName(of: entry, depthMax: Self.depthMax)
  }

  /// The addresses in the data space of a variable such as `turns`, `bench::counter`, or
  /// `loop::turns` of a function; nil if there is none of that name at a fixed address, or if
  /// several have it: see `objects`.
  package func object(named name: String) -> Range<UInt16>? {
    let found = objects(named: name)
    return found.count == 1 ? found.first : nil
  }

  /// The variables of that name that the whole program can use, or if there is none, those of files
  /// and functions.
  package func objects(named name: String) -> [Range<UInt16>] {
    let named = symbols.symbols.filter {
      $0.memory == .data && $0.kind == .object && $0.size > 0
        && ($0.readableName == name || $0.localNames.contains(name))
    }
    // Link-time optimization makes all local.
    let groups = [named.filter { !$0.isLocal }, named.filter { !$0.hasOwnScope }, named]
    let found = (groups.first { !$0.isEmpty } ?? []).compactMap { symbol in
      UInt16(exactly: UInt32(symbol.address) + symbol.size).map { symbol.address..<$0 }
    }
    return Set(found).sorted { $0.lowerBound < $1.lowerBound }
  }

  /// How the caller of the code at a byte address is found; nil if the file does not say.
  package func frame(at address: UInt32) -> FrameRule? { frames.rule(at: address) }

  /// The name of the variable or function at an address of the data space or of the flash, as the
  /// target of a pointer.
  func symbol(at address: UInt16, in memory: Symbol.Memory) -> Symbol? {
    symbols.symbols.first { $0.memory == memory && $0.address == address && $0.kind != .label }
  }
}

extension DebugInfo {
  /// The code of a function or of a block in it: byte addresses, at most `max` ranges.
  func code(of entry: Entry, max: Int) -> [Range<UInt32>] {
    if let offset = entry.ranges { return ranges(at: offset, units[entry.unit], max: max) }
    guard let low = entry.low, let high = entry.high, max > 0 else { return [] }
    return Self.range(low, high.isSize ? low &+ high.value : high.value).map { [$0] } ?? []
  }

  private static func range(_ low: UInt64, _ high: UInt64) -> Range<UInt32>? {
    guard low < high, high <= UInt64(ProgramImage.flashSize) else { return nil }
    return UInt32(low)..<UInt32(high)
  }

  private func ranges(at offset: Int, _ unit: Unit, max: Int) -> [Range<UInt32>] {
    var found: [Range<UInt32>] = []
    forEachRange(
      at: offset, unit, in: unit.version < 5 ? sections.ranges : sections.rangeLists, max: max,
      hasExpressions: false
    ) { low, high, _ in
      if let range = Self.range(low, high) { found.append(range) }
      return true
    }
    return found
  }

  /// The expression of a list for an address.
  func expression(
    of location: Location, at address: UInt32, unit index: Int, max: Int = 1_000
  ) -> ArraySlice<UInt8>? {
    switch location {
    case .expression(let expression): return expression
    case .list(let offset):
      let unit = units[index]
      var found: ArraySlice<UInt8>?
      forEachRange(
        at: offset, unit, in: unit.version < 5 ? sections.locations : sections.locationLists,
        max: max, hasExpressions: true
      ) { low, high, expression in
        guard (low..<Swift.max(low, high)).contains(UInt64(address)) else { return true }
        found = expression
        return false
      }
      return found
    }
  }

  /// Calls `body` with the ranges of a list, of which a list of locations has an expression for
  /// each, until it returns false (DWARF 5, 7.7.3 and 7.25; DWARF 4, 2.6.2 and 2.17.3).
  private func forEachRange(
    at offset: Int, _ unit: Unit, in section: ArraySlice<UInt8>, max: Int, hasExpressions: Bool,
    _ body: (UInt64, UInt64, ArraySlice<UInt8>) -> Bool
  ) {
    guard offset <= section.count else { return }
    var cursor = DebugCursor(section, at: offset)
    let size = unit.addressSize
    let last: UInt64 = size >= 8 ? .max : 1 << UInt64(8 * size) - 1
    var base = unit.low
    func indexed(_ index: UInt64?) -> UInt64? {
      guard let index, index < UInt64(sections.addresses.count),
        unit.addresses <= sections.addresses.count
      else { return nil }
      let place = min(unit.addresses + Int(index) * size, sections.addresses.count)
      var cursor = DebugCursor(sections.addresses, at: place)
      return cursor.fixed(size)
    }
    for _ in 0..<max {
      var low: UInt64 = 0
      var high = last
      if unit.version < 5 {
        guard let first = cursor.fixed(size), let second = cursor.fixed(size) else { return }
        if first == last {
          base = second
          continue
        }
        if first == 0, second == 0 { return }
        (low, high) = (base &+ first, base &+ second)
      } else {
        guard let kind = cursor.fixed(1) else { return }
        switch (kind, hasExpressions) {
        case (1, _):
          guard let address = indexed(cursor.unsigned()) else { return }
          base = address
          continue
        case (2, _):
          guard let first = indexed(cursor.unsigned()), let end = indexed(cursor.unsigned()) else {
            return
          }
          (low, high) = (first, end)
        case (3, _):
          guard let first = indexed(cursor.unsigned()), let count = cursor.unsigned() else {
            return
          }
          (low, high) = (first, first &+ count)
        case (4, _):
          guard let first = cursor.unsigned(), let end = cursor.unsigned() else { return }
          (low, high) = (base &+ first, base &+ end)
        // A default location, for where no other is valid: it is the last.
        case (5, true): break
        case (5, false), (6, true):
          guard let address = cursor.fixed(size) else { return }
          base = address
          continue
        case (6, false), (7, true):
          guard let first = cursor.fixed(size), let end = cursor.fixed(size) else { return }
          (low, high) = (first, end)
        case (7, false), (8, true):
          guard let first = cursor.fixed(size), let count = cursor.unsigned() else { return }
          (low, high) = (first, first &+ count)
        // GNU's pair of views, which says in which order locations at the same address come.
        case (9, true):
          guard cursor.unsigned() != nil, cursor.unsigned() != nil else { return }
          continue
        default: return
        }
      }
      var expression: ArraySlice<UInt8> = []
      if hasExpressions {
        guard let count = unit.version < 5 ? cursor.fixed(2) : cursor.unsigned(),
          let bytes = cursor.take(count)
        else { return }
        expression = bytes
      }
      guard body(low, high, expression) else { return }
    }
  }

  /// The offset of a unit's line table.
  func lineTable(ofUnit index: Int) -> Int? { index < units.count ? units[index].lines : nil }

  /// The entry that has the name of this one: itself, or one that it completes.
  func named(_ index: Int) -> Int {
    var index = index
    for _ in 0..<8 {
      guard let origin = self.index(at: entries[index].origin) else { break }
      index = origin
    }
    return index
  }

  /// `Servo::write`, with the names of classes and namespaces.
  func qualifiedName(of index: Int, depthMax: Int) -> String {
    let index = named(index)
    var parts = [String(decoding: entries[index].name, as: UTF8.self)]
    var parent = entries[index].parent
    while let outer = parent, parts.count < depthMax {
      let entry = entries[outer]
      switch entry.tag {
      case .classType, .structureType, .unionType, .namespace:
        parts.append(
          entry.name.isEmpty
            ? "(anonymous \(entry.tag == .namespace ? "namespace" : "class"))"
            : String(decoding: entry.name, as: UTF8.self))
      default: break
      }
      parent = entry.parent
    }
    return parts.reversed().joined(separator: "::")
  }

  /// The type of a variable, which another entry can state.
  func type(of index: Int) -> Int? {
    var index = index
    for _ in 0..<8 {
      if let type = self.index(at: entries[index].type) { return type }
      guard let origin = self.index(at: entries[index].origin) else { return nil }
      index = origin
    }
    return nil
  }
}

/// A function with the line of its source that an instruction is from.
package struct SourcePlace: Hashable, Sendable {
  /// As it is named in the source, with its classes: `Servo::write`.
  package var function: String
  /// The path, in the folder in which it was compiled; empty if it is not known.
  package var file = ""
  /// From 1; 0 if it is not known.
  package var line = 0

  /// The name of the file without its folders.
  package var fileName: Substring { file.split { $0 == "/" || $0 == "\\" }.last ?? "" }

  /// `Servo::write (Servo.cpp:48)`, or the function alone.
  package var text: String { line == 0 ? function : "\(function) (\(fileName):\(line))" }
}

/// Where a function's frame is at one instruction, and what is saved there.
package struct FrameRule: Hashable, Sendable {
  /// The number of the register that the frame is at: 28 for Y, 32 for the stack pointer.
  package var register: Int
  /// What is added to it. The sum is the canonical frame address, the stack pointer before the
  /// call.
  package var offset: Int
  /// The registers that the function has saved, each with its place relative to the canonical
  /// frame address. The return address is the two bytes up to the canonical frame address, the
  /// high byte first.
  package var saved: [SavedRegister]
}

package struct SavedRegister: Hashable, Sendable {
  package var register: Int
  package var offset: Int
}
