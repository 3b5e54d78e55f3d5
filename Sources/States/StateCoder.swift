import Sketches
import Traces

/// Encodes a value as a flat list of scalars. An object is the number of its members, then their
/// names and values; a list is the number of its items, then these.
final class StateEncoder: Encoder, SingleValueEncodingContainer {
  private(set) var items: [JSONValue] = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func encodeNil() { items.append(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    switch value {
    case let value as Bool: items.append(.bool(value))
    case let value as String: items.append(.string(value))
    case let value as any FixedWidthInteger: items.append(.number("\(value)"))
    default: try value.encode(to: self)
    }
  }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(group: Group(self)))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(group: Group(self)) }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// An object or a list. Its count is written again after each item.
  private struct Group {
    let encoder: StateEncoder
    private let place: Int
    private(set) var count = 0

    init(_ encoder: StateEncoder) {
      self.encoder = encoder
      place = encoder.items.count
      encoder.items.append(.number("0"))
    }

    mutating func next(_ key: (any CodingKey)? = nil) -> StateEncoder {
      count += 1
      encoder.items[place] = .number("\(count)")
      if let key { encoder.items.append(.string(key.stringValue)) }
      return encoder
    }
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var group: Group
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) { group.next(key).encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try group.next(key).encode(value)
    }
    mutating func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> { group.next(key).container(keyedBy: type) }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      group.next(key).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { group.next() }
    mutating func superEncoder(forKey key: Key) -> any Encoder { group.next(key) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    var group: Group
    var codingPath: [any CodingKey] { [] }
    var count: Int { group.count }

    mutating func encodeNil() { group.next().encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try group.next().encode(value) }
    mutating func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type
    ) -> KeyedEncodingContainer<Inner> { group.next().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      group.next().unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { group.next() }
  }
}

/// Decodes what `StateEncoder` has written. Whatever the list contains, it only throws.
final class StateDecoder: Decoder, SingleValueDecodingContainer {
  private var rest: ArraySlice<JSONValue>
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ items: [JSONValue]) { rest = items[...] }

  private static let damage = DecodingError.dataCorrupted(
    .init(codingPath: [], debugDescription: "the list is damaged"))

  func decodeNil() -> Bool {
    guard rest.first == .null else { return false }
    rest.removeFirst()
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let found: Any?
    switch (type, rest.first) {
    case (is Bool.Type, .bool(let value)): found = value
    case (is String.Type, .string(let text)): found = text
    case (let type as any FixedWidthInteger.Type, .number(let text)):
      found = Self.integer(type, text)
    case (is Bool.Type, _), (is String.Type, _), (is any FixedWidthInteger.Type, _): found = nil
    default: return try type.init(from: self)
    }
    guard let value = found as? Value else { throw Self.damage }
    rest.removeFirst()
    return value
  }

  /// Numbers of 64 bits are times and counts, of which no session has such large ones that the sum
  /// of a few overflows. A session lasts up to 1 000 000 000 s, and at its end a board can be held
  /// in reset for as long again: 2^61 ns, and at 20 MHz 2^56 clock cycles. The last number of all,
  /// and the distant future, are those of no time.
  private static func integer<Integer: FixedWidthInteger>(_: Integer.Type, _ text: String) -> Any? {
    guard let value = Integer(text) else { return nil }
    let size = UInt64(value.magnitude)
    let isTime =
      if Integer.self == Int64.self {
        size <= 1 << 61 || size == Instant.distantFuture.nanoseconds.magnitude
      } else {
        size <= 1 << 56 || Integer.self == UInt64.self && size == .max
      }
    return isTime ? value : nil
  }

  private var count: Int {
    get throws {
      let count = try decode(Int.self)
      guard (0...rest.count).contains(count) else { throw Self.damage }
      return count
    }
  }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>(self, count: try count))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    Unkeyed(decoder: self, count: try count)
  }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private final class Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let codingPath: [any CodingKey] = []
    private let decoder: StateDecoder
    private var count: Int

    init(_ decoder: StateDecoder, count: Int) {
      self.decoder = decoder
      self.count = count
    }

    /// The key of the next member.
    private var next: Key? {
      guard count > 0, case .string(let text) = decoder.rest.first else { return nil }
      return Key(stringValue: text)
    }

    private func take(_ key: Key) throws -> StateDecoder {
      guard contains(key) else { throw StateDecoder.damage }
      decoder.rest.removeFirst()
      count -= 1
      return decoder
    }

    var allKeys: [Key] { next.map { [$0] } ?? [] }
    func contains(_ key: Key) -> Bool { next?.stringValue == key.stringValue }
    func decodeNil(forKey key: Key) -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try take(key).decode(type)
    }
    func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> { try take(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try take(key).unkeyedContainer()
    }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try take(key) }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    let decoder: StateDecoder
    let count: Int?
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    private mutating func next() throws -> StateDecoder {
      guard !isAtEnd else { throw StateDecoder.damage }
      currentIndex += 1
      return decoder
    }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd, decoder.decodeNil() else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try next().decode(type)
    }
    mutating func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type
    ) throws -> KeyedDecodingContainer<Inner> { try next().container(keyedBy: type) }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { try next() }
  }
}
