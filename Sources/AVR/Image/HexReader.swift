/// A strict reader of Intel HEX: checks the length, type and checksum of every record, and that the
/// file ends with an end record. Reads record types 00 to 05 and ignores start addresses (03, 05),
/// since the chip determines where it starts.
struct HexReader {
  private let bytes: [UInt8]
  private let name: String
  private var position = 0
  private var line = 1
  private var lineStart = 0
  /// The base address from the last 02 or 04 record.
  private var base: UInt64 = 0

  init(bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  /// Whether the file begins with a record, possibly after white space.
  static func recognizes(_ bytes: [UInt8]) -> Bool {
    bytes.first { !isSpace($0) } == UInt8(ascii: ":")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  mutating func readMemories() throws(ImageError) -> ImageMemories {
    var memories = ImageMemories()
    var hasEnded = false
    while skipToRecord() {
      guard !hasEnded else {
        throw error(.malformed, at: position, "nothing can follow the end record (type 01)")
      }
      let record = try takeRecord()
      switch record.type {
      case 0: try store(record, in: &memories)
      case 1: hasEnded = true
      case 2: base = UInt64(record.value) << 4
      case 4: base = UInt64(record.value) << 16
      default: break
      }
    }
    guard hasEnded else {
      throw error(
        .truncated, at: position, "ends without an end record (:00000001FF); the rest is missing")
    }
    return memories
  }

  // MARK: Records

  private struct Record {
    /// The position of its colon.
    var start: Int
    var type: UInt8
    var address: UInt16
    var data: [UInt8]
    /// The data as one number, for records that contain a base address.
    var value: UInt32 { data.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  /// The length of the data by record type; nil for any length.
  private static let lengths: [Int?] = [nil, 0, 2, 4, 2, 4]

  /// Skips white space. Returns false at the end of the file.
  private mutating func skipToRecord() -> Bool {
    while position < bytes.count, Self.isSpace(bytes[position]) {
      position += 1
      if bytes[position - 1] == 0x0A {
        line += 1
        lineStart = position
      }
    }
    return position < bytes.count
  }

  private mutating func takeRecord() throws(ImageError) -> Record {
    let start = position
    guard bytes[position] == UInt8(ascii: ":") else {
      throw error(.malformed, at: position, "expected ':', found \(found)")
    }
    position += 1
    let length = try takeByte()
    let high = try takeByte()
    let low = try takeByte()
    let typeStart = position
    let type = try takeByte()
    guard Int(type) < Self.lengths.count else {
      throw error(
        .malformed, at: typeStart, "expected a record type 00 to 05, found \(Hex.byte(type))")
    }
    if let expected = Self.lengths[Int(type)], Int(length) != expected {
      throw error(
        .malformed, at: start + 1,
        "a record of type \(Hex.byte(type)) must have \(expected) bytes, not \(length)")
    }
    var data: [UInt8] = []
    data.reserveCapacity(Int(length))
    for _ in 0..<length { data.append(try takeByte()) }
    let sum = data.reduce(length &+ high &+ low &+ type, &+)
    let checksumStart = position
    let checksum = try takeByte()
    guard sum &+ checksum == 0 else {
      throw error(
        .checksum, at: checksumStart,
        "checksum is \(Hex.byte(checksum)), the record's bytes give \(Hex.byte(0 &- sum))")
    }
    guard position == bytes.count || Self.isSpace(bytes[position]) else {
      throw error(.malformed, at: position, "expected the end of the line, found \(found)")
    }
    return Record(start: start, type: type, address: UInt16(high) << 8 | UInt16(low), data: data)
  }

  private func store(_ record: Record, in memories: inout ImageMemories) throws(ImageError) {
    for (offset, byte) in record.data.enumerated() {
      // Anything above 4 GB is clamped, as it is outside every memory anyway.
      let address = UInt32(clamping: base + UInt64(record.address) + UInt64(offset))
      do throws(ImageMemories.Refusal) {
        try memories.put(byte, at: address, from: UInt32(line))
      } catch {
        let column = record.start + 9 + 2 * offset - lineStart + 1
        throw error.error(
          name: name, at: .line(line, column: column), address: address, part: "line")
      }
    }
  }

  // MARK: Digits

  private mutating func takeByte() throws(ImageError) -> UInt8 {
    try takeDigit() << 4 | takeDigit()
  }

  private mutating func takeDigit() throws(ImageError) -> UInt8 {
    guard position < bytes.count else {
      throw error(.truncated, at: position, "ends in the middle of a record")
    }
    let byte = bytes[position]
    switch byte {
    case 0x30...0x39:
      position += 1
      return byte - 0x30
    case 0x41...0x46, 0x61...0x66:
      position += 1
      return (byte | 0x20) - 0x61 + 10
    default:
      throw error(.malformed, at: position, "expected a hexadecimal digit, found \(found)")
    }
  }

  private var found: String {
    switch bytes[position] {
    case 0x21...0x7E: "'\(Character(Unicode.Scalar(bytes[position])))'"
    case 0x20: "a space"
    case 0x0A, 0x0D: "the end of the line"
    default: "the byte 0x\(Hex.byte(bytes[position]))"
    }
  }

  private func error(
    _ code: ImageError.Code, at position: Int, _ message: String
  ) -> ImageError {
    ImageError(code, name: name, at: .line(line, column: position - lineStart + 1), message)
  }
}

/// Numbers as they are formatted in messages.
enum Hex {
  /// Two digits: `3F`.
  static func byte(_ value: UInt8) -> String { digits(value, 2) }

  /// At least four digits: `0x01A4`, `0x810000`.
  static func address(_ value: UInt32) -> String { "0x" + digits(value, 4) }

  /// At least `count` digits.
  static func digits(
    _ value: some BinaryInteger, _ count: Int, uppercase: Bool = true
  ) -> String {
    let text = String(value, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
