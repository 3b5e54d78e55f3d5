/// The entries of a program's debug information that describe variables and their types: DWARF 2 to
/// 5 with 32-bit offsets (dwarfstd.org), sections .debug_info and .debug_abbrev.
///
/// What is damaged or unknown ends the reading; the entries before it remain.
struct DebugInfo {
  enum Tag: UInt64 {
    case arrayType = 0x01
    case classType = 0x02
    case member = 0x0D
    case structureType = 0x13
    case typedef = 0x16
    case inheritance = 0x1C
    case subrangeType = 0x21
    case baseType = 0x24
    case constType = 0x26
    case variable = 0x34
    case volatileType = 0x35
  }

  struct Entry {
    var tag: Tag
    /// The index of the entry that contains it; nil if that is of another kind.
    var parent: Int?
    var name: [UInt8] = []
    /// The offset of the type's entry in the section, and of an entry that this one completes.
    var type: Int?
    var origin: Int?
    var size: Int?
    var encoding: UInt64?
    /// The place in the containing structure, in bytes.
    var place: Int?
    /// The address of a variable in the file's numbering, in which the data space begins at
    /// 0x800000.
    var address: UInt64?
    /// The number of elements of an array's dimension.
    var count: Int?
    var children: [Int] = []
  }

  /// Larger programs than an ATmega328P can have are not read.
  private static let entriesMax = 200_000
  /// The attributes of all entries and abbreviations. A damaged file can have far more than it has
  /// bytes, since some forms have no bytes, and units can share abbreviations.
  private static let attributesMax = 2_000_000
  /// The names of interest are much shorter.
  private static let nameMax = 64

  private(set) var entries: [Entry] = []
  /// The indices of the entries by their offsets in the section.
  private var indices: [Int: Int] = [:]

  /// How many more attributes can be read.
  private var budget = attributesMax

  private let info: ArraySlice<UInt8>
  private let abbreviations: ArraySlice<UInt8>
  private let strings: ArraySlice<UInt8>
  private let lineStrings: ArraySlice<UInt8>

  /// The sections are parts of the file, empty if it has none.
  init(
    info: ArraySlice<UInt8>, abbreviations: ArraySlice<UInt8>, strings: ArraySlice<UInt8>,
    lineStrings: ArraySlice<UInt8>
  ) {
    self.info = info
    self.abbreviations = abbreviations
    self.strings = strings
    self.lineStrings = lineStrings
    var start = 0
    while start < info.count, let next = readUnit(at: start) { start = next }
  }

  /// Whether it is larger than is read, so that something may be missing.
  var isTooLarge: Bool { budget <= 0 || entries.count >= Self.entriesMax }

  /// Returns the index of the entry at an offset in the section.
  func index(at offset: Int?) -> Int? { offset.flatMap { indices[$0] } }

  // MARK: Units

  private struct Unit {
    var start: Int
    var version: UInt64
    var addressSize: Int
    var abbreviations: [UInt64: Abbreviation]
  }

  private struct Abbreviation {
    var tag: UInt64
    var hasChildren: Bool
    var attributes: [(name: UInt64, form: UInt64, constant: Int64)]
  }

  /// Reads the unit at an offset. Returns the offset of the next one; nil if the rest cannot be
  /// read.
  private mutating func readUnit(at start: Int) -> Int? {
    var cursor = Cursor(info, at: start)
    guard let length = cursor.fixed(4), length < 0xFFFF_FFF0, let version = cursor.fixed(2),
      (2...5).contains(version), length <= UInt64(info.count)
    else { return nil }
    let end = start + 4 + Int(length)
    guard end <= info.count else { return nil }
    var kind: UInt64 = 1
    var offset: UInt64?
    var addressSize: UInt64?
    if version < 5 {
      offset = cursor.fixed(4)
      addressSize = cursor.fixed(1)
    } else {
      kind = cursor.fixed(1) ?? 0
      addressSize = cursor.fixed(1)
      offset = cursor.fixed(4)
    }
    // Compilation units and partial units; others have no variables.
    guard kind == 1 || kind == 3 else { return end }
    guard let offset, let addressSize, [1, 2, 4, 8].contains(addressSize),
      let abbreviations = readAbbreviations(at: offset)
    else { return nil }
    let unit = Unit(
      start: start, version: version, addressSize: Int(addressSize), abbreviations: abbreviations)
    // The index of the containing entry at each level; nil for one that is not kept.
    var parents: [Int?] = []
    while cursor.position < end {
      let place = cursor.position
      guard let code = cursor.unsigned() else { return nil }
      if code == 0 {
        if parents.isEmpty { break }
        parents.removeLast()
        continue
      }
      guard let abbreviation = unit.abbreviations[code], entries.count < Self.entriesMax,
        parents.count < 1_000
      else { return nil }
      var entry = Tag(rawValue: abbreviation.tag).map {
        Entry(tag: $0, parent: parents.last ?? nil)
      }
      budget -= abbreviation.attributes.count + 1
      guard budget > 0 else { return nil }
      for attribute in abbreviation.attributes {
        guard read(attribute, into: &entry, unit, &cursor) else { return nil }
      }
      var index: Int?
      if let entry {
        index = entries.count
        indices[place] = entries.count
        if let parent = entry.parent { entries[parent].children.append(entries.count) }
        entries.append(entry)
      }
      if abbreviation.hasChildren { parents.append(index) }
    }
    return end
  }

  private mutating func readAbbreviations(at offset: UInt64) -> [UInt64: Abbreviation]? {
    guard offset < UInt64(abbreviations.count) else { return nil }
    var cursor = Cursor(abbreviations, at: Int(offset))
    var found: [UInt64: Abbreviation] = [:]
    while let code = cursor.unsigned() {
      if code == 0 { return found }
      guard let tag = cursor.unsigned(), let children = cursor.fixed(1) else { return nil }
      var abbreviation = Abbreviation(tag: tag, hasChildren: children != 0, attributes: [])
      while true {
        budget -= 1
        guard budget > 0, let name = cursor.unsigned(), let form = cursor.unsigned() else {
          return nil
        }
        var constant: Int64 = 0
        if form == Form.implicitConst.rawValue {
          guard let value = cursor.signed() else { return nil }
          constant = value
        }
        if name == 0, form == 0 { break }
        abbreviation.attributes.append((name, form, constant))
      }
      found[code] = abbreviation
    }
    return nil
  }

  // MARK: Attributes

  private enum Attribute: UInt64 {
    case location = 0x02
    case name = 0x03
    case byteSize = 0x0B
    case upperBound = 0x2F
    case abstractOrigin = 0x31
    case count = 0x37
    case dataMemberLocation = 0x38
    case encoding = 0x3E
    case specification = 0x47
    case type = 0x49
  }

  /// The form of an attribute's value: DWARF 5, 7.5.6, and four of GNU.
  private enum Form: UInt64 {
    case addr = 0x01
    case block2 = 0x03, block4, data2, data4, data8, string, block, block1, data1, flag, sdata
    case strp, udata, refAddr, ref1, ref2, ref4, ref8, refUdata, indirect, secOffset, exprloc
    case flagPresent, strx, addrx, refSup4, strpSup, data16, lineStrp, refSig8, implicitConst
    case loclistx, rnglistx, refSup8, strx1, strx2, strx3, strx4, addrx1, addrx2, addrx3, addrx4
    case gnuAddrIndex = 0x1F01, gnuStrIndex
    case gnuRefAlt = 0x1F20, gnuStrpAlt
  }

  private enum Operation {
    static let addr: UInt8 = 0x03
    static let plusUconst: UInt8 = 0x23
  }

  private enum Value {
    case number(UInt64)
    case text([UInt8])
    case block(ArraySlice<UInt8>)
    /// The offset of an entry in the section.
    case reference(UInt64)
    case other
  }

  /// Reads one attribute. Returns false if the rest cannot be read.
  private func read(
    _ attribute: (name: UInt64, form: UInt64, constant: Int64), into entry: inout Entry?,
    _ unit: Unit, _ cursor: inout Cursor
  ) -> Bool {
    var form = Form(rawValue: attribute.form)
    if form == .indirect {
      form = cursor.unsigned().flatMap { Form(rawValue: $0) }
      guard form != .implicitConst else { return false }
    }
    guard let form, let value = value(form, attribute.constant, unit, &cursor) else {
      return false
    }
    guard entry != nil else { return true }
    switch (Attribute(rawValue: attribute.name), value) {
    case (.name, .text(let name)): entry?.name = name
    case (.byteSize, .number(let size)): entry?.size = Int(exactly: size)
    case (.encoding, .number(let encoding)): entry?.encoding = encoding
    case (.type, .reference(let offset)): entry?.type = Int(exactly: offset)
    case (.abstractOrigin, .reference(let offset)), (.specification, .reference(let offset)):
      entry?.origin = Int(exactly: offset)
    case (.dataMemberLocation, .number(let place)): entry?.place = Int(exactly: place)
    case (.dataMemberLocation, .block(let block)) where block.first == Operation.plusUconst:
      var operand = Cursor(block, at: 1)
      entry?.place = operand.unsigned().flatMap { Int(exactly: $0) }
    case (.location, .block(let block)) where block.first == Operation.addr:
      guard block.count == 1 + unit.addressSize else { break }
      var operand = Cursor(block, at: 1)
      entry?.address = operand.fixed(unit.addressSize)
    // The upper bound is the last index.
    case (.upperBound, .number(let last)): entry?.count = Int(exactly: last &+ 1)
    case (.count, .number(let count)): entry?.count = Int(exactly: count)
    default: break
    }
    return true
  }

  private func value(
    _ form: Form, _ constant: Int64, _ unit: Unit, _ cursor: inout Cursor
  ) -> Value? {
    func number(_ size: Int) -> Value? { cursor.fixed(size).map { .number($0) } }
    func block(_ size: UInt64?) -> Value? {
      size.flatMap { cursor.take($0) }.map { .block($0) }
    }
    func local(_ offset: UInt64?) -> Value? {
      offset.map { .reference($0 &+ UInt64(unit.start)) }
    }
    func skip(_ size: UInt64) -> Value? { cursor.take(size).map { _ in .other } }
    switch form {
    case .addr: return number(unit.addressSize)
    case .block2: return block(cursor.fixed(2))
    case .block4: return block(cursor.fixed(4))
    case .data2: return number(2)
    case .data4: return number(4)
    case .data8: return number(8)
    case .string: return cursor.text(limit: .max).map { .text(Array($0.prefix(Self.nameMax))) }
    case .block, .exprloc: return block(cursor.unsigned())
    case .block1: return block(cursor.fixed(1))
    case .data1, .flag: return number(1)
    case .sdata: return cursor.signed().map { .number(UInt64(bitPattern: $0)) }
    case .strp: return cursor.fixed(4).map { .text(Self.text(in: strings, at: $0)) }
    case .lineStrp: return cursor.fixed(4).map { .text(Self.text(in: lineStrings, at: $0)) }
    case .udata: return cursor.unsigned().map { .number($0) }
    case .refAddr:
      return cursor.fixed(unit.version == 2 ? unit.addressSize : 4).map { .reference($0) }
    case .ref1: return local(cursor.fixed(1))
    case .ref2: return local(cursor.fixed(2))
    case .ref4: return local(cursor.fixed(4))
    case .ref8: return local(cursor.fixed(8))
    case .refUdata: return local(cursor.unsigned())
    case .flagPresent: return .number(1)
    case .implicitConst: return .number(UInt64(bitPattern: constant))
    case .strx, .addrx, .loclistx, .rnglistx, .gnuAddrIndex, .gnuStrIndex:
      return cursor.unsigned().map { _ in .other }
    case .strx1, .addrx1: return skip(1)
    case .strx2, .addrx2: return skip(2)
    case .strx3, .addrx3: return skip(3)
    case .secOffset, .refSup4, .strpSup, .strx4, .addrx4, .gnuRefAlt, .gnuStrpAlt: return skip(4)
    case .refSig8, .refSup8: return skip(8)
    case .data16: return skip(16)
    case .indirect: return nil
    }
  }

  private static func text(in section: ArraySlice<UInt8>, at offset: UInt64) -> [UInt8] {
    guard offset < UInt64(section.count) else { return [] }
    var cursor = Cursor(section, at: Int(offset))
    return cursor.text(limit: nameMax).map { Array($0) } ?? []
  }

  /// Reads from a section, by offsets in it.
  private struct Cursor {
    let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>, at position: Int) {
      self.bytes = bytes
      self.position = position
    }

    private var rest: Int { bytes.count - position }

    /// Reads a number of `size` bytes, low byte first.
    mutating func fixed(_ size: Int) -> UInt64? {
      guard size <= rest else { return nil }
      var value: UInt64 = 0
      for index in 0..<size {
        value |= UInt64(bytes[bytes.startIndex + position + index]) << UInt64(index * 8)
      }
      position += size
      return value
    }

    /// Reads a number in ULEB128.
    mutating func unsigned() -> UInt64? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = fixed(1) {
        if shift < 64 { value |= (byte & 0x7F) << shift }
        if byte & 0x80 == 0 { return value }
        shift += 7
      }
      return nil
    }

    /// Reads a number in SLEB128.
    mutating func signed() -> Int64? {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while let byte = fixed(1) {
        if shift < 64 { value |= (byte & 0x7F) << shift }
        shift += 7
        guard byte & 0x80 == 0 else { continue }
        if byte & 0x40 != 0, shift < 64 { value |= ~0 << shift }
        return Int64(bitPattern: value)
      }
      return nil
    }

    mutating func take(_ size: UInt64) -> ArraySlice<UInt8>? {
      guard size <= UInt64(rest) else { return nil }
      let first = bytes.startIndex + position
      position += Int(size)
      return bytes[first..<first + Int(size)]
    }

    /// Reads a text with a zero at its end. One that is longer than `limit` counts as damaged.
    mutating func text(limit: Int) -> ArraySlice<UInt8>? {
      let first = bytes.startIndex + position
      let end = first + min(rest, limit)
      guard let zero = bytes[first..<end].firstIndex(of: 0) else { return nil }
      position += zero - first + 1
      return bytes[first..<zero]
    }
  }
}
