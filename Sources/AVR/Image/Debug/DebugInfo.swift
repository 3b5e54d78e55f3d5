/// The entries of a program's debug information that describe variables, their types, and the code
/// that they belong to: DWARF 2 to 5 with 32-bit offsets (dwarfstd.org), sections .debug_info and
/// .debug_abbrev.
///
/// What is damaged or unknown ends the reading; the entries before it remain.
struct DebugInfo: Sendable {
  enum Tag: UInt64, Sendable {
    case arrayType = 0x01
    case classType = 0x02
    case enumerationType = 0x04
    case parameter = 0x05
    case lexicalBlock = 0x0B
    case member = 0x0D
    case pointerType = 0x0F
    case referenceType = 0x10
    case compileUnit = 0x11
    case structureType = 0x13
    case subroutineType = 0x15
    case typedef = 0x16
    case unionType = 0x17
    case inheritance = 0x1C
    case inlinedSubroutine = 0x1D
    case subrangeType = 0x21
    case baseType = 0x24
    case constType = 0x26
    case enumerator = 0x28
    case subprogram = 0x2E
    case variable = 0x34
    case volatileType = 0x35
    case namespace = 0x39
    case partialUnit = 0x3C
    case rvalueReferenceType = 0x42

    /// Whether it is needed for types and variables at fixed addresses.
    var isOfObjects: Bool {
      switch self {
      case .arrayType, .classType, .member, .structureType, .typedef, .inheritance, .subrangeType,
        .baseType, .constType, .variable, .volatileType, .compileUnit, .partialUnit:
        true
      default: false
      }
    }
  }

  /// Where a variable is, or which address its function's frame has.
  enum Location: Hashable, Sendable {
    case expression(ArraySlice<UInt8>)
    /// The offset of a list of expressions for ranges of addresses, in its section.
    case list(Int)
  }

  struct Entry: Sendable {
    var tag: Tag
    /// The index of the entry that contains it; nil if that is of another kind.
    var parent: Int?
    /// The index of its unit.
    var unit: Int
    var name: ArraySlice<UInt8> = []
    /// The offset of the type's entry in the section, and of an entry that this one completes.
    var type: Int?
    var origin: Int?
    var size: Int?
    var encoding: UInt64?
    /// The place in the containing structure, in bytes.
    var place: Int?
    var location: Location?
    /// The value of a variable that needs no place, or of an enumerator.
    var constant: UInt64?
    /// The bits of a member that is no whole number of bytes, and the place of the lowest: from the
    /// structure's begin, or from the end of the member's type in the old form.
    var bitSize: Int?
    var bitPlace: Int?
    var oldBitPlace: Int?
    /// The number of elements of an array's dimension.
    var count: Int?
    /// Whether it only announces what another entry defines.
    var isDeclaration = false
    var children: [Int] = []
    /// The first byte address of its code, and the end: relative to that if `isSize`.
    var low: UInt64?
    var high: (value: UInt64, isSize: Bool)?
    /// The offset of a list of ranges, in its section.
    var ranges: Int?
    /// The line of an inlined subroutine's call, and its file's number in the unit's line table.
    var callLine: UInt64?
    var callFile: UInt64?
    /// The offset of the unit's line table, in its section.
    var lines: Int?
    /// The folder in which the unit was compiled.
    var folder: ArraySlice<UInt8> = []

    /// The address of a variable in the file's numbering, in which the data space begins at
    /// 0x800000.
    var address: UInt64? {
      guard case .expression(let bytes) = location, bytes.first == DebugOperation.addr.rawValue,
        [2, 3, 5, 9].contains(bytes.count)
      else { return nil }
      var operand = DebugCursor(bytes, at: 1)
      return operand.fixed(bytes.count - 1)
    }
  }

  /// Larger programs than an ATmega328P can have are not read.
  private static let entriesMax = 200_000
  /// The attributes of all entries and abbreviations. A damaged file can have far more than it has
  /// bytes, since some forms have no bytes, and units can share abbreviations.
  private static let attributesMax = 2_000_000
  /// The names of interest are much shorter.
  private static let nameMax = 256
  /// More units than files that a program is compiled from.
  private static let unitsMax = 10_000

  private(set) var entries: [Entry] = []
  private(set) var units: [Unit] = []
  /// The indices of the entries by their offsets in the section.
  private var indices: [Int: Int] = [:]

  /// How many more attributes can be read.
  private var budget = attributesMax

  let sections: DebugSections
  private let hasCode: Bool

  /// - Parameter hasCode: whether functions and what is in them are read, beside types and
  ///   variables at fixed addresses.
  init(_ sections: DebugSections, hasCode: Bool) {
    self.sections = sections
    self.hasCode = hasCode
    var start = 0
    while start < sections.info.count, units.count < Self.unitsMax, let next = readUnit(at: start) {
      start = next
    }
  }

  /// Whether it is larger than is read, so that something may be missing.
  var isTooLarge: Bool {
    budget <= 0 || entries.count >= Self.entriesMax || units.count >= Self.unitsMax
  }

  /// Returns the index of the entry at an offset in the section.
  func index(at offset: Int?) -> Int? { offset.flatMap { indices[$0] } }

  // MARK: Units

  struct Unit: Sendable {
    var start: Int
    var version: UInt64
    var addressSize: Int
    /// The first entry's address, to which ranges are relative.
    var low: UInt64 = 0
    /// The offset of its line table, in its section.
    var lines: Int?
    /// Where its parts of tables begin, for DWARF 5's forms with an index.
    var stringOffsets = 8
    var addresses = 8
    var rangeLists = 12
    var locationLists = 12
  }

  private struct Abbreviation {
    var tag: UInt64
    var hasChildren: Bool
    var attributes: [(name: UInt64, form: UInt64, constant: Int64)]
  }

  /// Reads the unit at an offset. Returns the offset of the next one; nil if the rest cannot be
  /// read.
  private mutating func readUnit(at start: Int) -> Int? {
    var cursor = DebugCursor(sections.info, at: start)
    guard let length = cursor.fixed(4), length < 0xFFFF_FFF0, let version = cursor.fixed(2),
      (2...5).contains(version), length <= UInt64(sections.info.count)
    else { return nil }
    let end = start + 4 + Int(length)
    guard end <= sections.info.count else { return nil }
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
    let number = units.count
    units.append(Unit(start: start, version: version, addressSize: Int(addressSize)))
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
      guard let abbreviation = abbreviations[code], entries.count < Self.entriesMax,
        parents.count < 1_000
      else { return nil }
      var entry = Tag(rawValue: abbreviation.tag).flatMap {
        hasCode || $0.isOfObjects
          ? Entry(tag: $0, parent: parents.last ?? nil, unit: number) : nil
      }
      budget -= abbreviation.attributes.count + 1
      guard budget > 0 else { return nil }
      for attribute in abbreviation.attributes {
        guard read(attribute, into: &entry, &units[number], &cursor) else { return nil }
      }
      if parents.isEmpty {
        units[number].low = entry?.low ?? 0
        units[number].lines = entry?.lines
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
    guard offset < UInt64(sections.abbreviations.count) else { return nil }
    var cursor = DebugCursor(sections.abbreviations, at: Int(offset))
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
    case bitOffset = 0x0C
    case bitSize = 0x0D
    case lines = 0x10
    case low = 0x11
    case high = 0x12
    case folder = 0x1B
    case constant = 0x1C
    case upperBound = 0x2F
    case abstractOrigin = 0x31
    case count = 0x37
    case dataMemberLocation = 0x38
    case declaration = 0x3C
    case encoding = 0x3E
    case frameBase = 0x40
    case specification = 0x47
    case type = 0x49
    case ranges = 0x55
    case callFile = 0x58
    case callLine = 0x59
    case dataBitOffset = 0x6B
    case stringOffsets = 0x72
    case addresses = 0x73
    case rangeLists = 0x74
    case locationLists = 0x8C
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

  private enum Value {
    case number(UInt64)
    case address(UInt64)
    case text(ArraySlice<UInt8>)
    case block(ArraySlice<UInt8>)
    /// The offset of an entry in the section.
    case reference(UInt64)
    /// An offset in another section.
    case offset(UInt64)
    case other
  }

  /// Reads one attribute. Returns false if the rest cannot be read.
  private func read(
    _ attribute: (name: UInt64, form: UInt64, constant: Int64), into entry: inout Entry?,
    _ unit: inout Unit, _ cursor: inout DebugCursor
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
    // Before version 4, an offset in another section had no form of its own.
    let isOld = unit.version < 4
    switch (Attribute(rawValue: attribute.name), value) {
    case (.name, .text(let name)): entry?.name = name
    case (.folder, .text(let name)): entry?.folder = name
    case (.byteSize, .number(let size)): entry?.size = Int(exactly: size)
    case (.bitSize, .number(let size)): entry?.bitSize = Int(exactly: size)
    case (.bitOffset, .number(let place)): entry?.oldBitPlace = Int(exactly: place)
    case (.dataBitOffset, .number(let place)): entry?.bitPlace = Int(exactly: place)
    case (.declaration, .number(let flag)): entry?.isDeclaration = flag != 0
    case (.encoding, .number(let encoding)): entry?.encoding = encoding
    case (.type, .reference(let offset)): entry?.type = Int(exactly: offset)
    case (.abstractOrigin, .reference(let offset)), (.specification, .reference(let offset)):
      entry?.origin = Int(exactly: offset)
    case (.dataMemberLocation, .number(let place)): entry?.place = Int(exactly: place)
    case (.dataMemberLocation, .block(let block))
    where block.first == DebugOperation.plusUconst.rawValue:
      var operand = DebugCursor(block, at: 1)
      entry?.place = operand.unsigned().flatMap { Int(exactly: $0) }
    case (.location, .block(let block)), (.frameBase, .block(let block)):
      entry?.location = .expression(block)
    case (.location, .offset(let offset)), (.frameBase, .offset(let offset)):
      entry?.location = .list(Int(offset))
    case (.location, .number(let offset)) where isOld,
      (.frameBase, .number(let offset)) where isOld:
      entry?.location = Int(exactly: offset).map { .list($0) }
    case (.constant, .number(let value)): entry?.constant = value
    case (.constant, .block(let block)) where block.count <= 8:
      var operand = DebugCursor(block, at: 0)
      entry?.constant = operand.fixed(block.count)
    // The upper bound is the last index.
    case (.upperBound, .number(let last)): entry?.count = Int(exactly: last &+ 1)
    case (.count, .number(let count)): entry?.count = Int(exactly: count)
    case (.low, .address(let address)): entry?.low = address
    case (.high, .address(let address)): entry?.high = (address, false)
    case (.high, .number(let size)): entry?.high = (size, true)
    case (.ranges, .offset(let offset)): entry?.ranges = Int(offset)
    case (.ranges, .number(let offset)) where isOld: entry?.ranges = Int(exactly: offset)
    case (.lines, .offset(let offset)): entry?.lines = Int(offset)
    case (.lines, .number(let offset)) where isOld: entry?.lines = Int(exactly: offset)
    case (.callFile, .number(let file)): entry?.callFile = file
    case (.callLine, .number(let line)): entry?.callLine = line
    case (.stringOffsets, .offset(let offset)): unit.stringOffsets = Int(offset)
    case (.addresses, .offset(let offset)): unit.addresses = Int(offset)
    case (.rangeLists, .offset(let offset)): unit.rangeLists = Int(offset)
    case (.locationLists, .offset(let offset)): unit.locationLists = Int(offset)
    default: break
    }
    return true
  }

  private func value(
    _ form: Form, _ constant: Int64, _ unit: Unit, _ cursor: inout DebugCursor
  ) -> Value? {
    func number(_ size: Int) -> Value? { cursor.fixed(size).map { .number($0) } }
    func block(_ size: UInt64?) -> Value? {
      size.flatMap { cursor.take($0) }.map { .block($0) }
    }
    func local(_ offset: UInt64?) -> Value? {
      offset.map { .reference($0 &+ UInt64(unit.start)) }
    }
    func skip(_ size: UInt64) -> Value? { cursor.take(size).map { _ in .other } }
    /// A number in a table of another section, by its index.
    func word(
      _ index: UInt64?, in table: ArraySlice<UInt8>, from base: Int, _ size: Int
    ) -> UInt64? {
      guard let index, index < UInt64(table.count), base <= table.count else { return nil }
      var cursor = DebugCursor(table, at: min(base + Int(index) * size, table.count))
      return cursor.fixed(size)
    }
    func text(_ index: UInt64?) -> Value? {
      index.map {
        let offset = word($0, in: sections.stringOffsets, from: unit.stringOffsets, 4)
        return .text(Self.text(in: sections.strings, at: offset ?? .max))
      }
    }
    func address(_ index: UInt64?) -> Value? {
      index.map {
        let found = word($0, in: sections.addresses, from: unit.addresses, unit.addressSize)
        return found.map { .address($0) } ?? .other
      }
    }
    func list(_ index: UInt64?, in table: ArraySlice<UInt8>, from base: Int) -> Value? {
      index.map {
        word($0, in: table, from: base, 4).map { .offset($0 &+ UInt64(base)) } ?? .other
      }
    }
    switch form {
    case .addr: return cursor.fixed(unit.addressSize).map { .address($0) }
    case .block2: return block(cursor.fixed(2))
    case .block4: return block(cursor.fixed(4))
    case .data2: return number(2)
    case .data4: return number(4)
    case .data8: return number(8)
    case .string: return cursor.text(limit: .max).map { .text($0.prefix(Self.nameMax)) }
    case .block, .exprloc: return block(cursor.unsigned())
    case .block1: return block(cursor.fixed(1))
    case .data1, .flag: return number(1)
    case .sdata: return cursor.signed().map { .number(UInt64(bitPattern: $0)) }
    case .strp: return cursor.fixed(4).map { .text(Self.text(in: sections.strings, at: $0)) }
    case .lineStrp:
      return cursor.fixed(4).map { .text(Self.text(in: sections.lineStrings, at: $0)) }
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
    case .strx, .gnuStrIndex: return text(cursor.unsigned())
    case .strx1: return text(cursor.fixed(1))
    case .strx2: return text(cursor.fixed(2))
    case .strx3: return text(cursor.fixed(3))
    case .strx4: return text(cursor.fixed(4))
    case .addrx, .gnuAddrIndex: return address(cursor.unsigned())
    case .addrx1: return address(cursor.fixed(1))
    case .addrx2: return address(cursor.fixed(2))
    case .addrx3: return address(cursor.fixed(3))
    case .addrx4: return address(cursor.fixed(4))
    case .loclistx:
      return list(cursor.unsigned(), in: sections.locationLists, from: unit.locationLists)
    case .rnglistx: return list(cursor.unsigned(), in: sections.rangeLists, from: unit.rangeLists)
    case .secOffset: return cursor.fixed(4).map { .offset($0) }
    case .refSup4, .strpSup, .gnuRefAlt, .gnuStrpAlt: return skip(4)
    case .refSig8, .refSup8: return skip(8)
    case .data16: return skip(16)
    case .indirect: return nil
    }
  }

  private static func text(
    in section: ArraySlice<UInt8>, at offset: UInt64
  ) -> ArraySlice<UInt8> {
    guard offset < UInt64(section.count) else { return [] }
    var cursor = DebugCursor(section, at: Int(offset))
    return cursor.text(limit: nameMax) ?? []
  }
}
