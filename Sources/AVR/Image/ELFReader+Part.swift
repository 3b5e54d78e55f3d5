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
