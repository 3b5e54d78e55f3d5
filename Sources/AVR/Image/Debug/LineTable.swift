/// The lines of the source that instructions are from: section .debug_line, versions 2 to 5.
struct LineTable: Sendable {
  struct Row: Sendable {
    var address: UInt32
    /// The index in `files`.
    var file: Int32
    var line: Int32
  }

  /// Rows by address, whose last one is only the end of the code.
  private struct Sequence: Sendable {
    var rows: Range<Int>
    var code: Range<UInt32>
  }

  /// A typical program has some thousand rows and a hundred files.
  private static let rowsMax = 400_000
  private static let filesMax = 20_000
  private static let nameMax = 1_024

  private(set) var files: [String] = []
  private var rows: [Row] = []
  private var sequences: [Sequence] = []
  /// For each table, by its offset in the section, the index in `files` of its files' numbers.
  private var filesOfTable: [Int: [Int32]] = [:]
  private var indices: [String: Int32] = [:]
  private var fileBudget = filesMax

  /// - Parameters:
  ///   - folders: in which folder each table's unit was compiled, by the table's offset.
  ///   - isCode: whether a sequence can begin at this address. The linker leaves tables of
  ///     functions that it has removed, at address 0.
  init(
    _ sections: DebugSections, folders: [Int: String], isCode: (UInt32) -> Bool
  ) {
    var start = 0
    while start < sections.lines.count,
      let next = readTable(at: start, sections, folder: folders[start] ?? "", isCode)
    {
      start = next
    }
    sequences.sort {
      ($0.code.lowerBound, $0.rows.lowerBound) < ($1.code.lowerBound, $1.rows.lowerBound)
    }
  }

  var isEmpty: Bool { sequences.isEmpty }

  /// Returns the row of the instruction at a byte address.
  func row(at address: UInt32) -> Row? {
    // Sequences do not overlap, unless the file is damaged.
    guard var range = sequences.last(at: address, { $0.code })?.rows else { return nil }
    while range.count > 1 {
      let middle = (range.lowerBound + range.upperBound) / 2
      if rows[middle].address <= address {
        range = middle..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.isEmpty ? nil : rows[range.lowerBound]
  }

  /// The file with a number in the table at an offset.
  func file(_ number: UInt64?, table: Int?) -> String? {
    guard let number, let table, let files = filesOfTable[table],
      let index = Int(exactly: number).flatMap({ files.indices.contains($0) ? files[$0] : nil }),
      index >= 0
    else { return nil }
    return self.files[Int(index)]
  }

  // MARK: Tables

  private struct Table {
    var version: UInt64 = 0
    var minimumLength: UInt64 = 1
    var lineBase: Int64 = 0
    var lineRange: UInt64 = 1
    var opcodeBase: UInt64 = 1
    /// The number of operands of each standard opcode.
    var operands: [UInt64] = []
    var folders: [String] = []
    /// As in `filesOfTable`.
    var files: [Int32] = []
  }

  /// Reads the table at an offset. Returns the offset of the next one; nil if the rest cannot be
  /// read.
  private mutating func readTable(
    at start: Int, _ sections: DebugSections, folder: String, _ isCode: (UInt32) -> Bool
  ) -> Int? {
    var cursor = DebugCursor(sections.lines, at: start)
    guard let length = cursor.fixed(4), length <= UInt64(sections.lines.count - start - 4)
    else { return nil }
    let end = start + 4 + Int(length)
    var table = Table()
    guard let version = cursor.fixed(2), (2...5).contains(version) else { return end }
    table.version = version
    if version >= 5 { _ = cursor.fixed(2) }
    guard let headerLength = cursor.fixed(4), cursor.position < end,
      headerLength <= UInt64(end - cursor.position)
    else { return end }
    let program = cursor.position + Int(headerLength)
    guard let minimum = cursor.fixed(1), version < 4 || cursor.fixed(1) != nil,
      cursor.fixed(1) != nil, let base = cursor.fixed(1), let range = cursor.fixed(1), range > 0,
      let opcodeBase = cursor.fixed(1), opcodeBase > 0
    else { return end }
    table.minimumLength = minimum
    table.lineBase = Int64(Int8(truncatingIfNeeded: base))
    table.lineRange = range
    table.opcodeBase = opcodeBase
    for _ in 1..<opcodeBase { table.operands.append(cursor.fixed(1) ?? 0) }
    let isWhole =
      version < 5
      ? readFiles(&cursor, &table, folder: folder) : readFormatted(&cursor, &table, sections)
    guard isWhole else { return end }
    filesOfTable[start] = table.files
    run(sections.lines, program..<end, table, isCode)
    return end
  }

  private static func join(_ folder: String, _ name: String) -> String {
    name.utf8.first == UInt8(ascii: "/") || folder.isEmpty ? name : folder + "/" + name
  }

  private mutating func add(_ path: String, to table: inout Table) -> Bool {
    fileBudget -= 1
    guard fileBudget > 0 else { return false }
    let index = indices[path] ?? Int32(files.count)
    if index == Int32(files.count) {
      indices[path] = index
      files.append(path)
    }
    table.files.append(index)
    return true
  }

  /// Before version 5: folders and files, each list with an empty name at its end.
  private mutating func readFiles(
    _ cursor: inout DebugCursor, _ table: inout Table, folder: String
  ) -> Bool {
    table.folders = [folder]
    // File numbers begin at 1.
    table.files = [-1]
    while let name = cursor.text(limit: Self.nameMax) {
      if name.isEmpty { break }
      fileBudget -= 1
      guard fileBudget > 0 else { return false }
      table.folders.append(Self.join(folder, String(decoding: name, as: UTF8.self)))
    }
    while let name = cursor.text(limit: Self.nameMax) {
      if name.isEmpty { return true }
      guard let place = cursor.unsigned(), cursor.unsigned() != nil, cursor.unsigned() != nil
      else { return false }
      let base = Int(exactly: place).flatMap {
        table.folders.indices.contains($0) ? table.folders[$0] : nil
      }
      let path = Self.join(base ?? "", String(decoding: name, as: UTF8.self))
      guard add(path, to: &table) else { return false }
    }
    return false
  }

  /// Version 5: both lists begin with the form of each field of an entry.
  private mutating func readFormatted(
    _ cursor: inout DebugCursor, _ table: inout Table, _ sections: DebugSections
  ) -> Bool {
    for isFolder in [true, false] {
      guard let formatCount = cursor.fixed(1) else { return false }
      var formats: [(kind: UInt64, form: UInt64)] = []
      for _ in 0..<formatCount {
        guard let kind = cursor.unsigned(), let form = cursor.unsigned() else { return false }
        formats.append((kind, form))
      }
      guard let count = cursor.unsigned() else { return false }
      var number: UInt64 = 0
      while number < count {
        number += 1
        var name = ""
        var place = 0
        for format in formats {
          guard let value = Self.field(format.form, &cursor, sections) else { return false }
          switch (format.kind, value) {
          case (1, .text(let text)): name = text
          case (2, .number(let number)): place = Int(exactly: number) ?? 0
          default: break
          }
        }
        let base = table.folders.indices.contains(place) ? table.folders[place] : ""
        if isFolder {
          fileBudget -= 1
          guard fileBudget > 0 else { return false }
          // The first one is the folder in which the unit was compiled.
          table.folders.append(Self.join(table.folders.first ?? "", name))
        } else if !add(Self.join(base, name), to: &table) {
          return false
        }
      }
    }
    return true
  }

  private enum Field {
    case text(String)
    case number(UInt64)
    case other
  }

  private static func field(
    _ form: UInt64, _ cursor: inout DebugCursor, _ sections: DebugSections
  ) -> Field? {
    func text(in section: ArraySlice<UInt8>, at offset: UInt64) -> Field {
      var cursor = DebugCursor(section, at: Int(min(offset, UInt64(section.count))))
      return .text(String(decoding: cursor.text(limit: nameMax) ?? [], as: UTF8.self))
    }
    switch form {
    case 0x08: return cursor.text(limit: nameMax).map { .text(String(decoding: $0, as: UTF8.self)) }
    case 0x0E: return cursor.fixed(4).map { text(in: sections.strings, at: $0) }
    case 0x1F: return cursor.fixed(4).map { text(in: sections.lineStrings, at: $0) }
    case 0x0B: return cursor.fixed(1).map { .number($0) }
    case 0x05: return cursor.fixed(2).map { .number($0) }
    case 0x06: return cursor.fixed(4).map { .number($0) }
    case 0x07: return cursor.fixed(8).map { .number($0) }
    case 0x0F: return cursor.unsigned().map { .number($0) }
    case 0x1E: return cursor.take(16).map { _ in .other }
    case 0x09: return cursor.unsigned().flatMap { cursor.take($0) }.map { _ in .other }
    default: return nil
    }
  }

  // MARK: Programs

  /// Runs a table's program, which makes its rows (DWARF 5, 6.2.5).
  private mutating func run(
    _ section: ArraySlice<UInt8>, _ range: Range<Int>, _ table: Table,
    _ isCode: (UInt32) -> Bool
  ) {
    guard range.upperBound <= section.count else { return }
    let first = section.startIndex
    var cursor = DebugCursor(
      section[first..<first + range.upperBound], at: range.lowerBound)
    var address: UInt64 = 0
    var file: UInt64 = 1
    var line: Int64 = 1
    var begin = rows.count
    func index() -> Int32 {
      Int(exactly: file).flatMap { table.files.indices.contains($0) ? table.files[$0] : nil } ?? -1
    }
    func addRow() {
      rows.append(
        Row(
          address: UInt32(clamping: address), file: index(), line: Int32(clamping: max(0, line))))
    }
    while let opcode = cursor.fixed(1), rows.count < Self.rowsMax {
      if opcode >= table.opcodeBase {
        let adjusted = opcode - table.opcodeBase
        address &+= adjusted / table.lineRange &* table.minimumLength
        line &+= table.lineBase + Int64(adjusted % table.lineRange)
        addRow()
        continue
      }
      switch opcode {
      case 0:
        guard let size = cursor.unsigned(), size > 0, let operands = cursor.take(size),
          let code = operands.first
        else { return rows.removeSubrange(begin...) }
        switch code {
        case 1:
          addRow()
          endSequence(begin, isCode)
          begin = rows.count
          (address, file, line) = (0, 1, 1)
        case 2:
          var operand = DebugCursor(operands, at: 1)
          address = operand.fixed(min(8, operands.count - 1)) ?? 0
        default: break
        }
      case 1: addRow()
      case 2: address &+= (cursor.unsigned() ?? 0) &* table.minimumLength
      case 3: line &+= cursor.signed() ?? 0
      case 4: file = cursor.unsigned() ?? 0
      case 8: address &+= (255 - table.opcodeBase) / table.lineRange &* table.minimumLength
      case 9: address &+= cursor.fixed(2) ?? 0
      default:
        for _ in 0..<table.operands[Int(opcode) - 1] { _ = cursor.unsigned() }
      }
    }
    // A sequence without an end is not certain.
    rows.removeSubrange(begin...)
  }

  private mutating func endSequence(_ begin: Int, _ isCode: (UInt32) -> Bool) {
    let first = rows[begin].address
    let last = rows[rows.count - 1].address
    let isSorted = zip(rows[begin...], rows[(begin + 1)...]).allSatisfy { $0.address <= $1.address }
    guard rows.count - begin > 1, first < last, last <= UInt32(ProgramImage.flashSize), isSorted,
      isCode(first)
    else { return rows.removeSubrange(begin...) }
    sequences.append(Sequence(rows: begin..<rows.count, code: first..<last))
  }
}
