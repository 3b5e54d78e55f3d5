extension ELFReader {
  private static let sectionSymbols: UInt32 = 2
  private static let sectionStrings: UInt32 = 3
  /// Section numbers from here on have special meanings: absolute values, common blocks.
  private static let sectionNumbersReserved = 0xFF00

  struct Section {
    /// The offset of its name in the table of sections' names.
    var name: UInt32
    /// 0x800 if it is compressed.
    var flags: UInt32
    var type: UInt32
    var address: UInt32
    var offset: Int64
    var size: Int64
    var link: UInt32
    var entrySize: UInt32
  }

  /// Reads the symbols that are addresses of a memory. Constants (`__SP_H__`), files and sections
  /// are omitted.
  func readSymbols() throws(ImageError) -> SymbolTable {
    let sections = try readSections()
    guard let table = sections.first(where: { $0.type == Self.sectionSymbols }) else {
      return SymbolTable([])
    }
    guard table.entrySize == 16 else {
      throw malformed(
        "an entry of the symbol table must have 16 bytes, not \(table.entrySize)")
    }
    guard table.link < sections.count,
      sections[Int(table.link)].type == Self.sectionStrings
    else {
      throw malformed("the symbol table's names are in section \(table.link), which has none")
    }
    let strings = sections[Int(table.link)]
    try check(table.offset, table.size, in: "the symbol table")
    try check(strings.offset, strings.size, in: "the symbols' names")

    var symbols: [Symbol] = []
    // The end of each symbol's section, as an address of flash.
    var ends: [UInt32] = []
    var nameBytes = 0
    for entry in stride(from: table.offset, to: table.offset + table.size - 15, by: 16) {
      let section = Int(try uint16(at: entry + 14, in: "the symbol table"))
      guard section > 0, section < Self.sectionNumbersReserved,
        let kind = Self.kind(type: bytes[Int(entry) + 12] & 0xF)
      else { continue }
      guard sections.indices.contains(section) else {
        throw ImageError(
          .malformed, name: name, at: .offset(Int(entry) + 14),
          "a symbol is in section \(section), of \(sections.count)")
      }
      let value = try uint32(at: entry + 4, in: "the symbol table")
      guard let (memory, address) = Self.place(of: value) else { continue }
      let text = try string(at: try uint32(at: entry, in: "the symbol table"), in: strings)
      guard !text.isEmpty else { continue }
      // Names can share their bytes, so a small file could otherwise use a lot of memory.
      nameBytes += text.utf8.count
      guard nameBytes <= ProgramImage.fileSizeMax else {
        throw ImageError(.tooLarge, name: name, "has more than 16 MB of symbols' names")
      }
      symbols.append(
        Symbol(
          name: text, memory: memory, address: address,
          size: try uint32(at: entry + 8, in: "the symbol table"), kind: kind))
      ends.append(UInt32(clamping: Int64(sections[section].address) + sections[section].size))
    }
    Self.extendLabels(&symbols, ends: ends)
    return SymbolTable(symbols)
  }

  // MARK: Symbols

  private static func kind(type: UInt8) -> Symbol.Kind? {
    switch type {
    case 0: .label
    case 1: .object
    case 2: .function
    default: nil
    }
  }

  private static func place(of value: UInt32) -> (Symbol.Memory, UInt16)? {
    switch value {
    case 0..<0x1_0000: (.flash, UInt16(value))
    case ImageMemories.ram: (.data, UInt16(value - ImageMemories.ram.lowerBound))
    case ImageMemories.eeprom: (.eeprom, UInt16(value - ImageMemories.eeprom.lowerBound))
    default: nil
    }
  }

  /// Extends each flash label without a size to the next symbol or to the end of the section.
  private static func extendLabels(_ symbols: inout [Symbol], ends: [UInt32]) {
    let code = symbols.indices.filter {
      symbols[$0].memory == .flash && symbols[$0].kind != .object
    }
    var next: UInt32 = .max
    var current: UInt32 = .max
    for index in code.sorted(by: { symbols[$0].address > symbols[$1].address }) {
      let address = UInt32(symbols[index].address)
      if address < current {
        next = current
        current = address
      }
      if symbols[index].size == 0, symbols[index].kind == .label {
        symbols[index].size = max(min(next, ends[index]), address) - address
      }
    }
  }

  /// Reads a name up to its terminating zero.
  private func string(at offset: UInt32, in strings: Section) throws(ImageError) -> String {
    guard offset < strings.size else {
      throw malformed("a symbol's name is at byte \(offset) of \(strings.size)")
    }
    let end = Int(strings.offset + strings.size)
    let start = Int(strings.offset) + Int(offset)
    guard let zero = bytes[start..<end].firstIndex(of: 0) else {
      throw malformed("a symbol's name has no end")
    }
    return String(decoding: bytes[start..<zero], as: UTF8.self)
  }

  // MARK: Sections

  func readSections() throws(ImageError) -> [Section] {
    let table = Int64(try uint32(at: 32, in: "the header"))
    let entrySize = try uint16(at: 46, in: "the header")
    let count = Int64(try uint16(at: 48, in: "the header"))
    guard table > 0, count > 0 else { return [] }
    guard entrySize == 40 else {
      throw malformed("an entry of the section table must have 40 bytes, not \(entrySize)")
    }
    let what = "the section table"
    var sections: [Section] = []
    for number in 0..<count {
      let entry = table + number * 40
      sections.append(
        Section(
          name: try uint32(at: entry, in: what),
          flags: try uint32(at: entry + 8, in: what),
          type: try uint32(at: entry + 4, in: what),
          address: try uint32(at: entry + 12, in: what),
          offset: Int64(try uint32(at: entry + 16, in: what)),
          size: Int64(try uint32(at: entry + 20, in: what)),
          link: try uint32(at: entry + 24, in: what),
          entrySize: try uint32(at: entry + 36, in: what)))
    }
    return sections
  }

  private func malformed(_ message: String) -> ImageError {
    ImageError(.malformed, name: name, message)
  }
}
