package import Turret

/// Builds one line of JSON, in canonical form like a trace.
package struct JSONText {
  private var members: [JSONValue.Member] = []

  package init() {}

  package mutating func add(_ key: String, _ value: JSONValue) { members.append(.init(key, value)) }
  package mutating func add(_ key: String, _ text: String) { add(key, .string(text)) }
  package mutating func add(_ key: String, _ number: Int) { add(key, .number("\(number)")) }

  package mutating func add(_ key: String, _ instant: Instant) {
    add(key, .number(String(canonical: instant)))
  }
  package mutating func add(_ key: String, _ interval: Interval) {
    add(key, .number(String(canonical: .zero + interval)))
  }

  package var value: JSONValue { .object(members) }
  package var text: String { value.text }
}
