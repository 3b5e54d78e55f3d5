/// The contents of a firmware file: flash, EEPROM, and names for addresses.
package struct ProgramImage: Hashable, Sendable {
  /// Contiguous bytes of a memory.
  package struct Segment: Hashable, Sendable {
    package var address: UInt16
    package var bytes: [UInt8]

    package init(address: UInt16, bytes: [UInt8]) {
      self.address = address
      self.bytes = bytes
    }
  }

  /// In bytes (data sheet, "AVR Memories").
  package static let flashSize = 0x8000
  package static let eepromSize = 0x400
  /// Larger files are rejected. A program of 32 KB with all its debugging information is far
  /// smaller.
  package static let fileSizeMax = 16 << 20

  /// The contents of the flash, by byte address. Segments are nonempty, in order and not adjacent.
  package let segments: [Segment]
  /// The EEPROM from address 0 to the last byte that the file fills, with 0xFF in gaps; nil if the
  /// file does not contain any.
  package let eeprom: [UInt8]?
  /// Empty for Intel HEX and for stripped ELF files.
  package let symbols: SymbolTable
  /// The servos that its debug information shows at fixed addresses.
  package let servoObjects: [ServoObject]
  private let debug: DebugSections
  /// The part that an ELF file names; nil if the file names none.
  package let part: EmulatedPart?

  /// Reads an ELF or Intel HEX file, detecting the format from the contents.
  ///
  /// - Parameter name: the name of the file in errors.
  package init(contents: [UInt8], name: String) throws(ImageError) {
    guard contents.count <= Self.fileSizeMax else {
      throw ImageError(
        .tooLarge, name: name,
        "has \(contents.count) bytes; a firmware file of at most 16 MB was expected")
    }
    let memories: ImageMemories
    var named: Part?
    if contents.starts(with: ELFReader.magic) {
      let reader = ELFReader(bytes: contents, name: name)
      memories = try reader.readMemories()
      symbols = try reader.readSymbols()
      debug = reader.debugSections
      servoObjects = ServoObjectFinder.objects(in: DebugInfo(debug, hasCode: false))
      named = try reader.readPart()
    } else if HexReader.recognizes(contents) {
      var reader = HexReader(bytes: contents, name: name)
      memories = try reader.readMemories()
      symbols = SymbolTable([])
      debug = DebugSections()
      servoObjects = []
    } else {
      throw ImageError(
        .unknownFormat, name: name,
        contents.isEmpty ? "is empty" : "is neither an ELF file nor Intel HEX")
    }
    part = named?.emulated
    segments = memories.flash.segments
    eeprom = memories.eeprom.prefix
    guard !segments.isEmpty else {
      throw ImageError(.empty, name: name, "has nothing for the flash")
    }
    try Self.check(named, words, name: name)
    if let part { try check(for: part, name: name) }
  }

  /// What the file says about its code. It is read again each time.
  package var sourceMap: SourceMap { SourceMap(symbols, debug) }

  /// Checks that the program can run on a part: that it is not for one with other memories, and
  /// fits.
  package func check(for chosen: EmulatedPart, name: String) throws(ImageError) {
    if let part, !part.hasMemories(of: chosen) {
      throw ImageError(
        .wrongProcessor, name: name,
        "is for an \(part.name), not for an \(chosen.name); build it with "
          + "-mmcu=\(chosen.rawValue)")
    }
    if let last = segments.last {
      let size = Int(last.address) + last.bytes.count
      try check(size, of: chosen.flashSize, "flash", chosen, name: name)
    }
    try check(eeprom?.count ?? 0, of: chosen.eepromSize, "EEPROM", chosen, name: name)
  }

  private func check(
    _ size: Int, of limit: Int, _ memory: String, _ part: EmulatedPart, name: String
  ) throws(ImageError) {
    guard size > limit else { return }
    throw ImageError(
      .tooLarge, name: name,
      "fills \(size) bytes of the \(memory); that of an \(part.name) has \(limit)")
  }

  /// Checks that the program is for the emulated chip. Others of its family have other registers.
  private static func check(
    _ part: Part?, _ words: [UInt16], name: String
  ) throws(ImageError) {
    let advice = "this emulates an ATmega328P; build it with -mmcu=atmega328p"
    if let part {
      guard part.emulated == nil else { return }
      throw ImageError(
        .wrongProcessor, name: name, "is for an \(part.readableName), \(advice)")
    }
    guard let other = Part.other(vectorsOf: words) else { return }
    throw ImageError(
      .wrongProcessor, name: name,
      "has \(other.count) interrupt vectors, as a program for an \(other.part) has; \(advice)")
  }

  /// The whole flash in words; those that the file does not fill are erased (0xFFFF).
  package var words: [UInt16] {
    var words = [UInt16](repeating: 0xFFFF, count: Self.flashSize / 2)
    for segment in segments {
      for (offset, byte) in segment.bytes.enumerated() {
        let address = Int(segment.address) + offset
        if address & 1 == 0 {
          words[address / 2] = words[address / 2] & 0xFF00 | UInt16(byte)
        } else {
          words[address / 2] = words[address / 2] & 0x00FF | UInt16(byte) << 8
        }
      }
    }
    return words
  }
}

/// Why a firmware file is not a program for the emulated chip, where, and how to correct it.
package struct ImageError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// Neither ELF nor Intel HEX.
    case unknownFormat
    case wrongProcessor
    /// An ELF file that is not a linked program.
    case notExecutable
    case truncated
    case malformed
    /// An Intel HEX record whose checksum is wrong.
    case checksum
    /// Two parts of the file define the same address.
    case overlap
    /// Something exceeds the chip's memory or the limit for files.
    case tooLarge
    /// The file contains nothing for the flash.
    case empty
  }

  package enum Place: Hashable, Sendable {
    case file
    /// In an Intel HEX file. Both count from 1, the column in bytes.
    case line(Int, column: Int)
    /// In an ELF file, in bytes from its beginning.
    case offset(Int)
  }

  package var code: Code
  package var name: String
  package var place: Place
  /// Continues a sentence that begins with `name`: "ends at byte 812 inside the section table".
  package var message: String

  init(_ code: Code, name: String, at place: Place = .file, _ message: String) {
    self.code = code
    self.name = name
    self.place = place
    self.message = message
  }

  /// In the format of a compiler: `file:line:column: error: message`.
  package var description: String {
    switch place {
    case .file: "\(name): error: \(message)"
    case .line(let line, let column): "\(name):\(line):\(column): error: \(message)"
    case .offset(let offset): "\(name): error: at byte \(offset): \(message)"
    }
  }
}
