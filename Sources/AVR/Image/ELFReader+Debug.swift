extension ELFReader {
  private static let compressed: UInt32 = 0x800
  private static let sectionEmpty: UInt32 = 8

  /// The objects of the servo library's class in the debug information; none if the file has no
  /// such information or it is damaged, since the program runs without it.
  var servoObjects: [ServoObject] {
    guard let sections = try? readSections(), bytes.count >= 52,
      let number = try? uint16(at: 50, in: "the header"), Int(number) < sections.count,
      let info = contents(of: ".debug_info", in: sections, names: sections[Int(number)]),
      let abbreviations = contents(
        of: ".debug_abbrev", in: sections, names: sections[Int(number)])
    else { return [] }
    let names = sections[Int(number)]
    let debug = DebugInfo(
      info: info, abbreviations: abbreviations,
      strings: contents(of: ".debug_str", in: sections, names: names) ?? [],
      lineStrings: contents(of: ".debug_line_str", in: sections, names: names) ?? [])
    return ServoObjectFinder.objects(in: debug)
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
