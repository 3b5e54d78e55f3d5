import Traces

/// Decodes a value that `StateEncoder` has written. The input is not trusted: on any error it
/// throws and names the place.
struct StateDecoder: Decoder {
  private let value: JSONValue
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]

  /// `context` supplies what the value requires and the file does not contain.
  static func read<Value: Decodable>(
    _ type: Value.Type, from value: JSONValue, in context: [CodingUserInfoKey: Any]
  ) throws -> Value {
    try StateDecoder(value: value, codingPath: [], userInfo: context).read(type)
  }

  private func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let found: Any? =
      switch type {
      case is Bool.Type: if case .bool(let found) = value { found } else { nil }
      case is String.Type: if case .string(let found) = value { found } else { nil }
      case is Double.Type: if case .number(let text) = value { Double(text) } else { nil }
      case let type as any FixedWidthInteger.Type: integer(type)
      case is [UInt8].Type: bytes
      default: try type.init(from: self)
      }
    guard let found = found as? Value else { throw expected("\(type)") }
    return found
  }

  private func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
    if case .number(let text) = value { Integer(text) } else { nil }
  }

  private var bytes: [UInt8]? {
    guard case .string(let text) = value else { return nil }
    let bytes = text.unicodeScalars.map { UInt8(exactly: $0.value) }
    return bytes.contains(nil) ? nil : bytes.compactMap(\.self)
  }

  private func expected(_ what: String) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: codingPath, debugDescription: "expected \(what), found \(value.noun)"))
  }

  private func member(_ key: some CodingKey) throws -> StateDecoder {
    guard let member = value[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "expected \(key.stringValue)"))
    }
    return StateDecoder(value: member, codingPath: codingPath + [key], userInfo: userInfo)
  }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw expected("an object") }
    return KeyedDecodingContainer(
      Keyed<Key>(decoder: self, allKeys: members.compactMap { Key(stringValue: $0.key) }))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let items) = value else { throw expected("a list") }
    return Unkeyed(codingPath: codingPath, items: items, userInfo: userInfo)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: StateDecoder
    let allKeys: [Key]
    var codingPath: [any CodingKey] { decoder.codingPath }

    func contains(_ key: Key) -> Bool { decoder.value[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder.member(key).value == .null }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try decoder.member(key).read(type)
    }
    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try decoder.member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder.member(key).unkeyedContainer()
    }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.member(key) }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    private struct Index: CodingKey {
      var intValue: Int?
      var stringValue: String { "\(intValue ?? 0)" }

      init(intValue: Int) { self.intValue = intValue }
      init?(stringValue: String) { nil }
    }

    let codingPath: [any CodingKey]
    let items: [JSONValue]
    private let userInfo: [CodingUserInfoKey: Any]
    private(set) var currentIndex = 0

    init(codingPath: [any CodingKey], items: [JSONValue], userInfo: [CodingUserInfoKey: Any]) {
      self.codingPath = codingPath
      self.items = items
      self.userInfo = userInfo
    }

    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex == items.count }

    private mutating func next() throws -> StateDecoder {
      guard !isAtEnd else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: codingPath, debugDescription: "expected more than \(items.count)"))
      }
      defer { currentIndex += 1 }
      return StateDecoder(
        value: items[currentIndex], codingPath: codingPath + [Index(intValue: currentIndex)],
        userInfo: userInfo)
    }

    mutating func decodeNil() -> Bool {
      guard !isAtEnd, items[currentIndex] == .null else { return false }
      currentIndex += 1
      return true
    }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().read(type) }
    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next().unkeyedContainer()
    }
    mutating func superDecoder() throws -> any Decoder { try next() }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: StateDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.value == .null }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.read(type) }
  }
}
