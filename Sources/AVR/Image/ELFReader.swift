/// Reads a linked program for the ATmega328P from an ELF file. Everything in the file is checked
/// before it is used.
///
/// Names and figures are from the System V ABI, "Object Files", and from avr-gcc's linker scripts.
struct ELFReader {
  static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]

  private static let machineAVR: UInt16 = 83
  /// The architecture of the ATmega328P, in the low bits of e_flags.
  private static let architecture: UInt32 = 5
  private static let typeExecutable: UInt16 = 2
  private static let segmentLoad: UInt32 = 1
  /// A typical program has four or five.
  private static let segmentsMax = 64

  let bytes: [UInt8]
  let name: String

  /// Reads the loaded segments at their load addresses (p_paddr): the initial values of variables
  /// follow the code in flash, and the program's start-up code copies them to RAM.
  func readMemories() throws(ImageError) -> ImageMemories {
    try checkHeader()
    let table = Int64(try uint32(at: 28, in: "the header"))
    let entrySize = try uint16(at: 42, in: "the header")
    let count = Int64(try uint16(at: 44, in: "the header"))
    guard count > 0 else {
      throw ImageError(
        .notExecutable, name: name, at: .offset(44), "has nothing to load")
    }
    guard count <= Self.segmentsMax else {
      throw ImageError(
        .tooLarge, name: name, at: .offset(44),
        "has \(count) segments; at most \(Self.segmentsMax) were expected")
    }
    guard entrySize == 32 else {
      throw ImageError(
        .malformed, name: name, at: .offset(42),
        "an entry of the program header table must have 32 bytes, not \(entrySize)")
    }
    var memories = ImageMemories()
    for number in 0..<count {
      let entry = table + number * 32
      let what = "the program header table"
      guard try uint32(at: entry, in: what) == Self.segmentLoad else { continue }
      let offset = Int64(try uint32(at: entry + 4, in: what))
      let address = try uint32(at: entry + 12, in: what)
      let size = Int64(try uint32(at: entry + 16, in: what))
      let sizeInMemory = Int64(try uint32(at: entry + 20, in: what))
      guard size <= sizeInMemory else {
        throw ImageError(
          .malformed, name: name, at: .offset(Int(entry) + 16),
          "segment \(number + 1) is larger in the file (\(size)) than in memory (\(sizeInMemory))")
      }
      try load(offset: offset, size: size, at: address, number: number + 1, into: &memories)
    }
    return memories
  }

  private func load(
    offset: Int64, size: Int64, at first: UInt32, number: Int64,
    into memories: inout ImageMemories
  ) throws(ImageError) {
    try check(offset, size, in: "segment \(number)")
    let offset = Int(offset)
    for index in 0..<Int(size) {
      let (address, isOver) = first.addingReportingOverflow(UInt32(index))
      do throws(ImageMemories.Refusal) {
        guard !isOver else { throw .nowhere }
        try memories.put(bytes[offset + index], at: address, from: UInt32(number))
      } catch {
        throw error.error(
          name: name, at: .offset(offset + index), address: address, part: "segment")
      }
    }
  }

  // MARK: The header

  private func checkHeader() throws(ImageError) {
    try check(0, 20, in: "the header")
    // A file for another machine can have another class and byte order; the machine number is
    // always in the same place.
    let isLittleEndian = bytes[5] == 1
    let low = UInt16(bytes[isLittleEndian ? 18 : 19])
    let machine = UInt16(bytes[isLittleEndian ? 19 : 18]) << 8 | low
    guard machine == Self.machineAVR else {
      throw ImageError(
        .wrongProcessor, name: name,
        "is for \(Self.machineName(machine)) (machine \(machine)), "
          + "this emulates an ATmega328P (AVR, machine \(Self.machineAVR))")
    }
    guard bytes[4] == 1, isLittleEndian, bytes[6] == 1 else {
      throw ImageError(
        .malformed, name: name, at: .offset(4),
        "an AVR program's file must be 32-bit ELF version 1, low byte first; "
          + "this one has class \(bytes[4]), byte order \(bytes[5]), version \(bytes[6])")
    }
    try check(0, 52, in: "the header")
    let type = try uint16(at: 16, in: "the header")
    guard type == Self.typeExecutable else {
      throw ImageError(
        .notExecutable, name: name,
        type == 1
          ? "is an object file, not a linked program"
          : "is not a linked program (its type is \(type), a program's is 2)")
    }
    let architecture = try uint32(at: 36, in: "the header") & 0x7F
    // 0: the tool that wrote the file did not specify it.
    guard architecture == Self.architecture || architecture == 0 else {
      throw ImageError(
        .wrongProcessor, name: name,
        "is for an AVR of family \(architecture), an ATmega328P is of family 5; "
          + "build it with -mmcu=atmega328p")
    }
  }

  private static func machineName(_ machine: UInt16) -> String {
    switch machine {
    case 3: "an x86"
    case 8: "a MIPS"
    case 40: "an ARM"
    case 62: "an x86-64"
    case 94: "an Xtensa (such as an ESP32)"
    case 105: "an MSP430"
    case 183: "a 64-bit ARM"
    case 185: "an AVR32"
    case 243: "a RISC-V"
    default: "another processor"
    }
  }

  // MARK: Bytes

  func uint16(at offset: Int64, in what: String) throws(ImageError) -> UInt16 {
    try check(offset, 2, in: what)
    let offset = Int(offset)
    return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  func uint32(at offset: Int64, in what: String) throws(ImageError) -> UInt32 {
    let low = try uint16(at: offset, in: what)
    return UInt32(low) | UInt32(try uint16(at: offset + 2, in: what)) << 16
  }

  /// Checks that the file has these bytes. Sums cannot overflow 64 bits, as all values have 32.
  func check(_ offset: Int64, _ count: Int64, in what: String) throws(ImageError) {
    guard offset + count <= bytes.count else {
      throw ImageError(
        .truncated, name: name,
        offset >= bytes.count
          ? "ends at byte \(bytes.count), before \(what) at byte \(offset)"
          : "ends at byte \(bytes.count) inside \(what)")
    }
  }
}

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
        throw ImageError(
          .tooLarge, name: name,
          "has more than \(ProgramImage.fileSizeMax >> 20) MB of symbols' names")
      }
      symbols.append(
        Symbol(
          name: text, memory: memory, address: address,
          size: try uint32(at: entry + 8, in: "the symbol table"), kind: kind,
          isLocal: bytes[Int(entry) + 12] >> 4 == 0))
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

extension ELFReader {
  private static let compressed: UInt32 = 0x800
  private static let sectionEmpty: UInt32 = 8

  /// The debug information; empty if the file has none or its sections cannot be found, since the
  /// program runs without it.
  var debugSections: DebugSections {
    guard let sections = try? readSections(), bytes.count >= 52,
      let number = try? uint16(at: 50, in: "the header"), Int(number) < sections.count
    else { return DebugSections() }
    func contents(_ name: String) -> ArraySlice<UInt8>? {
      self.contents(of: name, in: sections, names: sections[Int(number)])
    }
    var found = DebugSections()
    found.hasStabs = contents(".stab")?.isEmpty == false
    guard let info = contents(".debug_info"), let abbreviations = contents(".debug_abbrev") else {
      return found
    }
    found.info = info
    found.abbreviations = abbreviations
    found.strings = contents(".debug_str") ?? []
    found.lineStrings = contents(".debug_line_str") ?? []
    found.stringOffsets = contents(".debug_str_offsets") ?? []
    found.addresses = contents(".debug_addr") ?? []
    found.lines = contents(".debug_line") ?? []
    found.frames = contents(".debug_frame") ?? []
    found.ranges = contents(".debug_ranges") ?? []
    found.rangeLists = contents(".debug_rnglists") ?? []
    found.locations = contents(".debug_loc") ?? []
    found.locationLists = contents(".debug_loclists") ?? []
    return found
  }

  /// Returns the bytes of the section with a name; nil if there is none that can be read.
  private func contents(
    of name: String, in sections: [Section], names: Section
  ) -> ArraySlice<UInt8>? {
    let wanted = Array(name.utf8) + [0]
    for section in sections
    where section.flags & Self.compressed == 0 && section.type != Self.sectionEmpty {
      let start = names.offset + Int64(section.name)
      guard start + Int64(wanted.count) <= Int64(bytes.count),
        section.offset + section.size <= Int64(bytes.count),
        bytes[Int(start)..<Int(start) + wanted.count].elementsEqual(wanted)
      else { continue }
      return bytes[Int(section.offset)..<Int(section.offset + section.size)]
    }
    return nil
  }
}

extension ELFReader {
  private static let sectionNote: UInt32 = 7
  /// The names of parts are much shorter.
  private static let nameMax = 64

  /// Reads the part from the note that avr-gcc's start-up code contains; nil without one.
  ///
  /// The note has the name `AVR`, the type 1, and contains the start and size of each memory, the
  /// size of a table with that size and an offset, and the part's name at that offset.
  func readPart() throws(ImageError) -> Part? {
    for note in try readSections() where note.type == Self.sectionNote {
      let what = "the note about the part"
      try check(note.offset, note.size, in: what)
      guard note.size >= 52, try uint32(at: note.offset, in: what) == 4,
        try uint32(at: note.offset + 8, in: what) == 1,
        try uint32(at: note.offset + 12, in: what) == 0x0052_5641
      else { continue }
      let table = note.offset + 40
      let names = table + Int64(try uint32(at: table, in: what))
      let start = names + Int64(try uint32(at: table + 4, in: what))
      let end = note.offset + note.size
      guard start < end else { continue }
      let text = bytes[Int(start)..<Int(min(end, start + Int64(Self.nameMax)))]
      let name = text.prefix { (0x21...0x7E).contains($0) }
      if !name.isEmpty { return Part(name: String(decoding: name, as: UTF8.self)) }
    }
    return nil
  }
}
