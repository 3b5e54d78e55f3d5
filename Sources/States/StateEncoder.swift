import Traces

/// Encodes a value as JSON: a struct as an object, and bytes as a string of the characters
/// U+0000..U+00FF, as in a trace.
struct StateEncoder: Encoder {
  /// The value being built. A container fills it in.
  private final class Node {
    enum Content {
      case object, array
      case value(JSONValue)
    }

    var content = Content.object
    private var members: [(key: String, node: Node)] = []
    private(set) var items: [Node] = []

    var value: JSONValue {
      switch content {
      case .value(let value): value
      case .object: .object(members.map { .init($0.key, $0.node.value) })
      case .array: .array(items.map(\.value))
      }
    }

    func child(_ key: some CodingKey) -> Node {
      let node = Node()
      members.append((key.stringValue, node))
      return node
    }

    func next() -> Node {
      let node = Node()
      items.append(node)
      return node
    }

    func put(_ value: some Encodable) throws {
      switch value {
      case let value as Bool: content = .value(.bool(value))
      case let value as String: content = .value(.string(value))
      case let value as Double: content = .value(.number(String(shortest: value)))
      case let value as any FixedWidthInteger: content = .value(.number("\(value)"))
      // An empty array of another type could be cast to an array of bytes too.
      case let bytes as [UInt8] where type(of: value) == [UInt8].self:
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        content = .value(.string(String(text)))
      default: try value.encode(to: StateEncoder(node: self))
      }
    }
  }

  private let node: Node
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func value(of value: some Encodable) throws -> JSONValue {
    let node = Node()
    try node.put(value)
    return node.value
  }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    node.content = .object
    return KeyedEncodingContainer(Keyed<Key>(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.content = .array
    return Unkeyed(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) { node.child(key).content = .value(.null) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try node.child(key).put(value)
    }
    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      StateEncoder(node: node.child(key)).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      StateEncoder(node: node.child(key)).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { StateEncoder(node: node) }
    mutating func superEncoder(forKey key: Key) -> any Encoder {
      StateEncoder(node: node.child(key))
    }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.items.count }

    mutating func encodeNil() { node.next().content = .value(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { try node.next().put(value) }
    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      StateEncoder(node: node.next()).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      StateEncoder(node: node.next()).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { StateEncoder(node: node.next()) }
  }

  private struct Single: SingleValueEncodingContainer {
    let node: Node
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { node.content = .value(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { try node.put(value) }
  }
}
