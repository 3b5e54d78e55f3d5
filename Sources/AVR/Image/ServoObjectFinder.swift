/// Finds the objects of a class `Servo` at fixed addresses in a program's debug information.
struct ServoObjectFinder {
  /// More servos than a program for an ATmega328P can have.
  private static let objectsMax = 256
  /// Types are rarely nested more deeply than this.
  private static let depthMax = 24
  private static let stepsMax = 100_000
  /// The members of a class like the library's, and of one derived from it, are far fewer.
  private static let leavesMax = 64
  /// DW_ATE_signed, DW_ATE_signed_char.
  private static let signed: [UInt64] = [0x05, 0x06]
  /// DW_ATE_unsigned, DW_ATE_unsigned_char.
  private static let unsigned: [UInt64] = [0x07, 0x08]

  private let debug: DebugInfo
  /// The types and the members that have been looked at.
  private var steps = 0
  /// Whether a class is `Servo` or derived from it, by its index, if that has been found out. One
  /// that is being looked at is not: a class cannot be derived from itself.
  private var servoClasses: [Int: Bool] = [:]
  private var found: [ServoObject] = []
  /// Whether some object may have been missed, so that none is certain.
  private var isIncomplete = false

  init(_ debug: DebugInfo) { self.debug = debug }

  /// The objects, each once.
  static func objects(in debug: DebugInfo) -> [ServoObject] {
    var finder = ServoObjectFinder(debug)
    for (index, entry) in debug.entries.enumerated()
    where entry.tag == .variable && !finder.isIncomplete {
      guard let address = entry.address, (0x80_0100..<0x80_FFFF).contains(address),
        let type = debug.type(of: index)
      else { continue }
      finder.visit(type, at: Int(address - 0x80_0000), depth: 0)
    }
    return finder.isIncomplete || debug.isTooLarge ? [] : finder.found
  }

  /// Returns the type without typedef, const and volatile.
  private func plain(_ index: Int) -> Int? {
    var index = index
    for _ in 0..<Self.depthMax {
      switch debug.entries[index].tag {
      case .typedef, .constType, .volatileType:
        guard let next = debug.index(at: debug.entries[index].type) else { return nil }
        index = next
      default: return index
      }
    }
    return nil
  }

  private mutating func children(
    of index: Int, _ tag: DebugInfo.Tag
  ) -> [(entry: DebugInfo.Entry, type: Int?)] {
    steps += debug.entries[index].children.count
    return debug.entries[index].children.compactMap { child in
      let entry = debug.entries[child]
      return entry.tag == tag ? (entry, debug.index(at: entry.type).flatMap { plain($0) }) : nil
    }
  }

  /// Counts a step. Returns false if there have been too many, or if types are nested too deeply.
  private mutating func takeStep(depth: Int) -> Bool {
    steps += 1
    if depth >= Self.depthMax || steps >= Self.stepsMax { isIncomplete = true }
    return !isIncomplete
  }

  private mutating func visit(_ type: Int, at address: Int, depth: Int) {
    guard takeStep(depth: depth) else { return }
    guard found.count < Self.objectsMax else {
      isIncomplete = true
      return
    }
    guard let type = plain(type) else { return }
    switch debug.entries[type].tag {
    case .arrayType:
      let counts = children(of: type, .subrangeType).map { $0.entry.count ?? 0 }
      guard let element = debug.index(at: debug.entries[type].type).flatMap({ plain($0) }),
        mayHaveServo(element), let size = debug.entries[element].size, size > 0
      else { return }
      // More elements than the SRAM has bytes lie outside.
      var count = 1
      for dimension in counts { count = min(count, 0x1000) * max(0, min(dimension, 0x1000)) }
      for number in 0..<min(count, 0x1_0000 / size) {
        visit(element, at: address + number * size, depth: depth + 1)
        if isIncomplete { return }
      }
    case .classType, .structureType:
      if let object = servo(type, at: address) {
        if !found.contains(where: { $0.address == object.address }) { found.append(object) }
      }
      for (entry, parent) in children(of: type, .inheritance) {
        guard let parent, let place = entry.place, isServo(parent, depth: 0) == false else {
          continue
        }
        visit(parent, at: address + min(place, 0x1_0000), depth: depth + 1)
      }
      for (entry, member) in children(of: type, .member) {
        guard let member, let place = entry.place else { continue }
        visit(member, at: address + min(place, 0x1_0000), depth: depth + 1)
      }
    default: return
    }
  }

  /// Whether a type can contain a servo: a class or an array.
  private func mayHaveServo(_ type: Int) -> Bool {
    switch debug.entries[type].tag {
    case .classType, .structureType, .arrayType: true
    default: false
    }
  }

  /// Whether a class is `Servo` or derived from it.
  private mutating func isServo(_ type: Int, depth: Int) -> Bool {
    if let known = servoClasses[type] { return known }
    guard takeStep(depth: depth) else { return false }
    servoClasses[type] = false
    var isServo = debug.entries[type].name == ArraySlice("Servo".utf8)
    for (_, parent) in children(of: type, .inheritance) where !isServo {
      if let parent { isServo = self.isServo(parent, depth: depth + 1) }
    }
    servoClasses[type] = isServo
    return isServo
  }

  /// A member of one byte.
  private struct Leaf: Hashable {
    var place: Int
    var isSigned: Bool
    var name: ArraySlice<UInt8>
  }

  /// Returns the object if the type is `Servo` or derived from it, and laid out like that of
  /// Arduino's library.
  private mutating func servo(_ type: Int, at address: Int) -> ServoObject? {
    guard isServo(type, depth: 0) else { return nil }
    guard let own = subobject(type, at: 0, depth: 0), let leaves = leaves(own.type, at: own.place),
      let index = leaves.first, !index.isSigned,
      let place = UInt16(exactly: address + index.place), Self.isInSRAM(place, size: 1)
    else { return nil }
    func hasRange(_ rest: [Leaf]) -> Bool {
      rest.count == 2 && rest[0].isSigned && rest[1].isSigned
        && Self.isInSRAM(place, size: 3) && rest[0].place == index.place + 1
        && rest[1].place == index.place + 2
    }
    let rest = Array(leaves.dropFirst())
    if hasRange(rest) { return ServoObject(address: place, hasRange: true) }
    guard rest.isEmpty else { return nil }
    // A derived class can have the range.
    if own.type != type, let all = self.leaves(type, at: 0) {
      let added = all.filter { !leaves.contains($0) }
      if hasRange(added) { return ServoObject(address: place, hasRange: true) }
    }
    return ServoObject(address: place, hasRange: false)
  }

  /// Whether a variable can be at an address. A damaged file can state any.
  private static func isInSRAM(_ address: UInt16, size: Int) -> Bool {
    DataSpace.sram.contains(Int(address)) && DataSpace.sram.contains(Int(address) + size - 1)
  }

  /// Returns the class `Servo` within a class, and its place there.
  private mutating func subobject(
    _ type: Int, at place: Int, depth: Int
  ) -> (type: Int, place: Int)? {
    guard takeStep(depth: depth) else { return nil }
    if debug.entries[type].name == ArraySlice("Servo".utf8) { return (type, place) }
    for (entry, parent) in children(of: type, .inheritance) {
      guard let parent, let offset = entry.place, isServo(parent, depth: 0) else { continue }
      return subobject(parent, at: place + min(offset, 0x1_0000), depth: depth + 1)
    }
    return nil
  }

  /// Returns the members of a class, in order, with those of the classes that it is derived from;
  /// nil if one of them is not an integer of one byte. Pointers to tables of functions are left
  /// out.
  private mutating func leaves(_ type: Int, at first: Int, depth: Int = 0) -> [Leaf]? {
    guard takeStep(depth: depth) else { return nil }
    var leaves: [Leaf] = []
    for (entry, parent) in children(of: type, .inheritance) {
      guard let parent, let place = entry.place,
        let inner = self.leaves(parent, at: first + min(place, 0x1_0000), depth: depth + 1)
      else { return nil }
      leaves += inner
      guard leaves.count <= Self.leavesMax else { return nil }
    }
    for (entry, member) in children(of: type, .member) {
      // A static member has no place.
      guard let place = entry.place, !entry.name.starts(with: "_vptr".utf8) else { continue }
      guard let member, debug.entries[member].tag == .baseType, debug.entries[member].size == 1,
        let encoding = debug.entries[member].encoding,
        Self.signed.contains(encoding) || Self.unsigned.contains(encoding)
      else { return nil }
      guard leaves.count < Self.leavesMax else { return nil }
      leaves.append(
        Leaf(
          place: first + min(place, 0x1_0000), isSigned: Self.signed.contains(encoding),
          name: entry.name))
    }
    return leaves.sorted { $0.place < $1.place }
  }
}

/// An object of a class `Servo`, or of one derived from it, at a fixed address.
package struct ServoObject: Hashable, Sendable {
  /// The address of its first byte: the servo's index.
  package var address: UInt16
  /// Whether two signed bytes follow: a quarter of how far its range differs from the usual one at
  /// either end.
  package var hasRange: Bool
}
