import Traces
import Turret

/// A message as a line of JSON, for a client in another process.
struct APILine {
  private var bytes: [UInt8]

  /// An answer.
  init(answering id: APIRequest.ID, ok: Bool = true) {
    bytes = Array("{\"id\": \(id.text), \"ok\": \(ok)".utf8)
  }

  /// The answer to a request that cannot be carried out.
  init(_ mistake: APIRequest.Mistake) {
    self.init(answering: mistake.id ?? .null, ok: false)
    add("error", mistake.message)
  }

  /// A message that does not answer a request.
  init(note name: String) {
    bytes = Array("{\"note\": \(JSONValue.string(name).text)".utf8)
  }

  mutating func add(_ key: String, _ value: JSONValue) {
    begin(key)
    value.append(to: &bytes)
  }

  mutating func add(_ key: String, _ text: String) { add(key, .string(text)) }

  mutating func add(_ key: String, _ flag: Bool) { add(key, .bool(flag)) }

  mutating func add(_ key: String, _ number: Int) { add(key, .number("\(number)")) }

  mutating func add(_ key: String, _ time: Instant) { add(key, .number(String(canonical: time))) }

  /// Adds a list of values that are already JSON.
  mutating func add(_ key: String, list items: some Sequence<some Sequence<UInt8>>) {
    begin(key)
    bytes.append("[")
    var isFirst = true
    for item in items {
      if !isFirst { bytes.append(", ") }
      isFirst = false
      bytes.append(contentsOf: item)
    }
    bytes.append("]")
  }

  private mutating func begin(_ key: String) {
    bytes.append(", ")
    bytes.appendQuoted(key)
    bytes.append(": ")
  }

  mutating func add(_ members: [JSONValue.Member]) {
    for member in members { add(member.key, member.value) }
  }

  /// The text with its newline.
  var text: [UInt8] { bytes + Array("}\n".utf8) }
}
