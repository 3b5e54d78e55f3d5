/// Writes the ELF file of a small linked program, and variants that are wrong in one respect.
package struct ELFBuilder {
  package struct Segment {
    package var type: UInt32 = 1
    package var address: UInt32
    package var loadAddress: UInt32?
    package var bytes: [UInt8]
    package var sizeInMemory: UInt32?

    package init(
      type: UInt32 = 1, address: UInt32, loadAddress: UInt32? = nil, bytes: [UInt8],
      sizeInMemory: UInt32? = nil
    ) {
      self.type = type
      self.address = address
      self.loadAddress = loadAddress
      self.bytes = bytes
      self.sizeInMemory = sizeInMemory
    }
  }

  package struct Symbol {
    package var name: String
    package var value: UInt32
    package var size: UInt32 = 0
    /// 0 label, 1 object, 2 function, 3 section, 4 file
    package var type: UInt8
    /// The section; 1 is the code.
    package var section: UInt16 = 1

    package init(
      name: String, value: UInt32, size: UInt32 = 0, type: UInt8, section: UInt16 = 1
    ) {
      self.name = name
      self.value = value
      self.size = size
      self.type = type
      self.section = section
    }
  }

  package var segments: [Segment] = []
  package var symbols: [Symbol] = []
  /// The size of the section with the code symbols.
  package var codeSize: UInt32 = 0x100
  package var type: UInt16 = 2
  package var machine: UInt16 = 83
  package var flags: UInt32 = 0x85
  package var hasSections = true
  /// The part that -mmcu selected, for the note of avr-gcc's start-up code; nil for no note.
  package var part: String?

  package init(segments: [Segment] = [], symbols: [Symbol] = [], codeSize: UInt32 = 0x100) {
    self.segments = segments
    self.symbols = symbols
    self.codeSize = codeSize
  }

  /// A blink-like program: vectors, two functions, an initialized variable and an uninitialized
  /// one.
  package static let sample = ELFBuilder(
    segments: [
      Segment(address: 0, bytes: (0..<0x60).map { UInt8($0) }),
      Segment(address: 0x80_0100, loadAddress: 0x60, bytes: [0xC0, 0x05]),
      Segment(address: 0x80_0102, loadAddress: 0x80_0102, bytes: [], sizeInMemory: 6),
      Segment(address: 0x81_0000, bytes: [1, 2, 3]),
      Segment(address: 0x82_0000, bytes: [0xFF, 0xDE, 0x05]),
      // A note, which is not loaded.
      Segment(type: 4, address: 0, bytes: [9, 9, 9, 9]),
    ],
    symbols: [
      Symbol(name: "blink.cpp", value: 0, type: 4, section: 0xFFF1),
      Symbol(name: "__SP_H__", value: 0x3E, type: 0, section: 0xFFF1),
      Symbol(name: "", value: 0, type: 3),
      Symbol(name: "__vectors", value: 0, type: 0),
      Symbol(name: "_Z4loopv", value: 0x20, size: 0x10, type: 2),
      Symbol(name: ".again", value: 0x28, type: 0),
      Symbol(name: "main", value: 0x30, size: 0x0E, type: 2),
      Symbol(name: "__stop_program", value: 0x5E, type: 0),
      Symbol(name: "_etext", value: 0x60, type: 0),
      Symbol(name: "_ZL6servos", value: 0x80_0102, size: 6, type: 1, section: 2),
      Symbol(name: "width", value: 0x80_0100, size: 2, type: 1, section: 2),
      Symbol(name: "angles", value: 0x40, size: 4, type: 1),
      Symbol(name: "saved", value: 0x81_0000, size: 3, type: 1, section: 2),
      Symbol(name: "undefined", value: 0, type: 0, section: 0),
    ],
    codeSize: 0x60)

  /// Header, program headers, segments' bytes, symbols, names, section headers.
  package var bytes: [UInt8] {
    var data = ByteList()
    let start = 52 + 32 * segments.count
    var headers = ByteList()
    for segment in segments {
      headers.words(
        segment.type, UInt32(start + data.count), segment.address,
        segment.loadAddress ?? segment.address, UInt32(segment.bytes.count),
        segment.sizeInMemory ?? UInt32(segment.bytes.count), 5, 1)
      data.bytes += segment.bytes
    }
    let symbolsStart = start + data.count
    var names = ByteList(bytes: [0])
    data.bytes += [UInt8](repeating: 0, count: 16)
    for symbol in symbols {
      data.words(UInt32(names.count), symbol.value, symbol.size)
      data.bytes += [symbol.type, 0]
      data.half(symbol.section)
      names.bytes += Array(symbol.name.utf8) + [0]
    }
    let namesStart = start + data.count
    data.bytes += names.bytes
    let noteStart = start + data.count
    if let part { data.note(part) }
    let sectionsStart = start + data.count
    if hasSections {
      data.section(type: 0, address: 0, offset: 0, size: 0)
      data.section(type: 1, address: 0, offset: UInt32(start), size: codeSize)
      data.section(type: 8, address: 0x80_0100, offset: 0, size: 8)
      data.section(
        type: 2, address: 0, offset: UInt32(symbolsStart), size: UInt32(16 * (symbols.count + 1)),
        link: 4, entrySize: 16)
      data.section(
        type: 3, address: 0, offset: UInt32(namesStart), size: UInt32(names.count))
      if part != nil {
        data.section(
          type: 7, address: 0, offset: UInt32(noteStart), size: UInt32(sectionsStart - noteStart))
      }
    }

    var file = ByteList(bytes: [0x7F, 0x45, 0x4C, 0x46, 1, 1, 1] + [UInt8](repeating: 0, count: 9))
    file.half(type)
    file.half(machine)
    file.words(1, 0, 52, hasSections ? UInt32(sectionsStart) : 0, flags)
    let sections = hasSections ? (part == nil ? 5 : 6) : 0
    for value in [52, 32, segments.count, 40, sections, 0] { file.half(UInt16(value)) }
    return file.bytes + headers.bytes + data.bytes
  }
}

/// Bytes in little-endian order.
private struct ByteList {
  var bytes: [UInt8] = []
  var count: Int { bytes.count }

  mutating func half(_ value: UInt16) { bytes += [UInt8(value & 0xFF), UInt8(value >> 8)] }

  mutating func words(_ values: UInt32...) {
    for value in values {
      half(UInt16(truncatingIfNeeded: value))
      half(UInt16(value >> 16))
    }
  }

  /// The note AVR: memories, the size of the table of names, the offset of the part's, the names.
  mutating func note(_ part: String) {
    let names = [0] + Array(part.utf8) + [0]
    words(4, UInt32(32 + names.count), 1, 0x0052_5641)
    words(0, 0x8000, 0x100, 0x800, 0, 0x400, 8, 1)
    bytes += names
  }

  mutating func section(
    type: UInt32, address: UInt32, offset: UInt32, size: UInt32, link: UInt32 = 0,
    entrySize: UInt32 = 0
  ) {
    words(0, type, 0, address, offset, size, link, 0, 4, entrySize)
  }
}
