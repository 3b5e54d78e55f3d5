/// A variable of a function, as text.
package struct DebugVariable: Hashable, Sendable {
  package var name: String
  /// As in the source: `const char *`. Empty if it is not known.
  package var type: String
  /// `12`, `{x = 3, n = "ab"}`, `0x0123 <buffer>`; nil if the compiler has optimized it out, or if
  /// it cannot be known here.
  package var value: String?
}

/// Formats values by their types.
struct DebugValue {
  private static let depthMax = 5
  /// Elements of an array, members of a structure, characters of a text.
  private static let partsMax = 16
  private static let charactersMax = 48
  /// Of an enumeration or a structure.
  private static let childrenMax = 500

  /// The values of one frame, with what they contain. A damaged file can nest types without end.
  private var steps = 4_000

  let map: SourceMap
  let expression: DebugExpression
  private var debug: DebugInfo { map.debug }

  init(_ map: SourceMap, _ expression: DebugExpression) {
    self.map = map
    self.expression = expression
  }

  // MARK: Types

  /// The type without typedef, const and volatile.
  private func plain(_ index: Int?) -> Int? {
    var index = index
    for _ in 0..<24 {
      guard let found = index else { return nil }
      switch debug.entries[found].tag {
      case .typedef, .constType, .volatileType: index = debug.index(at: debug.entries[found].type)
      default: return found
      }
    }
    return nil
  }

  /// In bytes; nil if it is not known.
  func size(of type: Int?, depth: Int = 0) -> Int? {
    guard let index = plain(type), depth < 8 else { return nil }
    let entry = debug.entries[index]
    if let size = entry.size { return (0...DebugExpression.sizeMax).contains(size) ? size : nil }
    switch entry.tag {
    case .pointerType, .referenceType, .rvalueReferenceType: return 2
    case .arrayType:
      guard let element = size(of: debug.index(at: entry.type), depth: depth + 1) else {
        return nil
      }
      var total = element
      for count in counts(of: index) {
        total *= max(0, min(count, DebugExpression.sizeMax))
        guard total <= DebugExpression.sizeMax else { return nil }
      }
      return total
    default: return nil
    }
  }

  private func counts(of array: Int) -> [Int] {
    debug.entries[array].children.filter { debug.entries[$0].tag == .subrangeType }
      .prefix(Self.partsMax).map { debug.entries[$0].count ?? 0 }
  }

  func name(of type: Int?, depth: Int = 0) -> String {
    guard let type, depth < 24 else { return depth == 0 ? "" : "void" }
    let entry = debug.entries[type]
    func inner() -> String { name(of: debug.index(at: entry.type), depth: depth + 1) }
    switch entry.tag {
    case .constType: return "const " + inner()
    case .volatileType:
      // Of an array, both the array and its elements are volatile.
      let text = inner()
      return text.hasPrefix("volatile ") ? text : "volatile " + text
    case .pointerType: return inner() + (inner().utf8.last == UInt8(ascii: "*") ? "*" : " *")
    case .referenceType: return inner() + " &"
    case .rvalueReferenceType: return inner() + " &&"
    case .arrayType:
      return counts(of: type).reduce(inner() + " ") { "\($0)[\($1)]" }
    case .subroutineType: return inner() + " ()"
    default:
      return entry.name.isEmpty ? "(anonymous)" : debug.qualifiedName(of: type, depthMax: 8)
    }
  }

  // MARK: Values

  /// Returns nil if a byte that is needed is not known.
  mutating func text(_ bytes: [UInt8?], _ type: Int?, depth: Int = 0) -> String? {
    steps -= 1
    guard depth < Self.depthMax, steps > 0, let index = plain(type) else { return nil }
    let entry = debug.entries[index]
    switch entry.tag {
    case .structureType, .classType, .unionType: return members(bytes, index, depth)
    case .arrayType: return array(bytes, index, depth)
    default: break
    }
    guard let value = Self.number(bytes) else { return nil }
    switch entry.tag {
    case .pointerType: return pointer(UInt16(truncatingIfNeeded: value), entry)
    case .referenceType, .rvalueReferenceType:
      let target = debug.index(at: entry.type)
      guard let size = size(of: target) else { return nil }
      return text(expression.memory(at: value & 0xFFFF, size: size), target, depth: depth + 1)
    case .enumerationType: return enumerator(value, bytes.count, index)
    default: return base(value, bytes.count, entry)
    }
  }

  private static func number(_ bytes: [UInt8?]) -> UInt64? {
    guard !bytes.isEmpty, bytes.count <= 8 else { return nil }
    var value: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      guard let byte else { return nil }
      value |= UInt64(byte) << UInt64(8 * index)
    }
    return value
  }

  private static func signed(_ value: UInt64, _ size: Int) -> Int64 {
    let shift = Int64(64 - 8 * min(max(size, 1), 8))
    return Int64(bitPattern: value << UInt64(shift)) >> shift
  }

  /// DW_ATE: boolean 2, float 4, signed 5, signed character 6, unsigned 7, unsigned character 8.
  private func base(_ value: UInt64, _ size: Int, _ entry: DebugInfo.Entry) -> String {
    switch entry.encoding {
    case 2: return value == 0 ? "false" : value == 1 ? "true" : String(value)
    case 4 where size == 4: return "\(Float(bitPattern: UInt32(truncatingIfNeeded: value)))"
    case 4 where size == 8: return "\(Double(bitPattern: value))"
    case 5: return String(Self.signed(value, size))
    case 6, 8:
      let number = entry.encoding == 6 ? String(Self.signed(value, size)) : String(value)
      guard size == 1, entry.name.elementsEqual("char".utf8), (0x20...0x7E).contains(value) else {
        return number
      }
      return "\(number) '\(Character(Unicode.Scalar(UInt8(value))))'"
    default: return String(value)
    }
  }

  private func enumerator(_ value: UInt64, _ size: Int, _ type: Int) -> String {
    let mask: UInt64 = size >= 8 ? .max : 1 << UInt64(8 * size) - 1
    for child in debug.entries[type].children.prefix(Self.childrenMax) {
      let entry = debug.entries[child]
      if entry.tag == .enumerator, let constant = entry.constant, constant & mask == value {
        return String(decoding: entry.name, as: UTF8.self)
      }
    }
    return String(value)
  }

  private mutating func pointer(_ value: UInt16, _ entry: DebugInfo.Entry) -> String {
    let number = Hex.address(UInt32(value))
    let target = plain(debug.index(at: entry.type))
    if let target, debug.entries[target].tag == .subroutineType {
      // Pointers to functions count words.
      guard value < 0x8000, let symbol = map.symbol(at: value << 1, in: .flash) else {
        return number
      }
      return "\(number) <\(symbol.readableName)>"
    }
    if let target, isCharacter(target), DataSpace.sram.contains(Int(value)) {
      let bytes = expression.memory(at: UInt64(value), size: Self.charactersMax)
      let text = bytes.prefix { $0 != nil && $0 != 0 }.compactMap { $0 }
      if text.allSatisfy({ (0x20...0x7E).contains($0) }) {
        return "\(number) \(Self.quoted(text, isWhole: text.count < bytes.count))"
      }
    }
    return map.symbol(at: value, in: .data).map { "\(number) <\($0.readableName)>" } ?? number
  }

  private func isCharacter(_ type: Int) -> Bool {
    let entry = debug.entries[type]
    return entry.tag == .baseType && entry.size == 1 && entry.name.elementsEqual("char".utf8)
  }

  private static func quoted(_ bytes: [UInt8], isWhole: Bool) -> String {
    var text = "\""
    for byte in bytes.prefix(charactersMax) {
      switch byte {
      case 0x22, 0x5C: text += "\\\(Character(Unicode.Scalar(byte)))"
      case 0x20...0x7E: text.append(Character(Unicode.Scalar(byte)))
      case 0x0A: text += "\\n"
      default: text += "\\x\(Hex.byte(byte))"
      }
    }
    return text + "\"" + (isWhole ? "" : "...")
  }

  private mutating func array(_ bytes: [UInt8?], _ index: Int, _ depth: Int) -> String? {
    let element = debug.index(at: debug.entries[index].type)
    // An array that is too large has no size.
    guard let size = size(of: element), size > 0, self.size(of: index) != nil else { return nil }
    if let plain = plain(element), isCharacter(plain), counts(of: index).count == 1 {
      let known = bytes.compactMap { $0 }
      guard known.count == bytes.count else { return nil }
      let text = Array(known.prefix { $0 != 0 })
      return Self.quoted(text, isWhole: text.count <= Self.charactersMax)
    }
    func part(_ bytes: ArraySlice<UInt8?>, _ counts: ArraySlice<Int>) -> String? {
      guard let count = counts.first else { return text(Array(bytes), element, depth: depth + 1) }
      let stride = counts.dropFirst().reduce(size) { $0 * $1 }
      guard count > 0, stride > 0 else { return "{}" }
      var parts: [String] = []
      for number in 0..<min(count, Self.partsMax) {
        let first = bytes.startIndex + number * stride
        guard first + stride <= bytes.endIndex,
          let text = part(bytes[first..<first + stride], counts.dropFirst())
        else { return nil }
        parts.append(text)
      }
      if count > Self.partsMax { parts.append("...") }
      return "{\(parts.joined(separator: ", "))}"
    }
    return part(bytes[...], counts(of: index)[...])
  }

  private mutating func members(_ bytes: [UInt8?], _ index: Int, _ depth: Int) -> String? {
    let owner = debug.entries[index]
    var parts: [String] = []
    for child in owner.children.prefix(Self.childrenMax) {
      let entry = debug.entries[child]
      guard entry.tag == .member || entry.tag == .inheritance,
        !entry.name.starts(with: "_vptr".utf8)
      else { continue }
      // A static member has no place.
      guard let place = entry.place ?? (owner.tag == .unionType || entry.bitPlace != nil ? 0 : nil),
        parts.count < Self.partsMax
      else { continue }
      let type = debug.index(at: entry.type)
      let size = size(of: type) ?? 0
      var value: String?
      if let bits = entry.bitSize {
        value = bitField(bytes, entry, place, size, bits)
      } else if place >= 0, place <= bytes.count, size <= bytes.count - place {
        value = text(Array(bytes[place..<place + size]), type, depth: depth + 1)
      }
      var name = String(decoding: entry.name, as: UTF8.self)
      if entry.tag == .inheritance { name = self.name(of: type) }
      parts.append("\(name.isEmpty ? "(anonymous)" : name) = \(value ?? "?")")
    }
    return bytes.contains { $0 != nil } || bytes.isEmpty
      ? "{\(parts.joined(separator: ", "))}" : nil
  }

  private func bitField(
    _ bytes: [UInt8?], _ entry: DebugInfo.Entry, _ place: Int, _ size: Int, _ bits: Int
  ) -> String? {
    guard (1...32).contains(bits) else { return nil }
    // The old form counts from the highest bit of the member's type.
    let unit = entry.size ?? size
    var first = entry.bitPlace ?? 0
    if let old = entry.oldBitPlace {
      guard (0...64).contains(old), (0...8).contains(unit), (0...bytes.count).contains(place) else {
        return nil
      }
      first = 8 * place + 8 * unit - old - bits
    }
    guard (0..<8 * DebugExpression.sizeMax).contains(first) else { return nil }
    var value: UInt64 = 0
    for bit in 0..<bits {
      let index = (first + bit) / 8
      guard index < bytes.count, let byte = bytes[index] else { return nil }
      value |= UInt64(byte >> UInt8((first + bit) % 8) & 1) << UInt64(bit)
    }
    let type = plain(debug.index(at: entry.type))
    if let type, debug.entries[type].encoding == 5, value >> UInt64(bits - 1) == 1 {
      return String(Int64(value) - 1 << Int64(bits))
    }
    return String(value)
  }
}
