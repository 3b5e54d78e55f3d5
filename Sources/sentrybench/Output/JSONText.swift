import Traces
import Turret

/// Builds one line of JSON, canonical like a trace.
struct JSONText {
  private var members: [JSONValue.Member] = []

  mutating func add(_ key: String, _ value: JSONValue) { members.append(.init(key, value)) }
  mutating func add(_ key: String, _ text: String) { add(key, .string(text)) }
  mutating func add(_ key: String, _ number: Int) { add(key, .number("\(number)")) }

  mutating func add(_ key: String, _ instant: Instant) {
    add(key, .number(String(canonical: instant)))
  }
  mutating func add(_ key: String, _ interval: Interval) {
    add(key, .number(String(canonical: .zero + interval)))
  }

  var value: JSONValue { .object(members) }
  var text: String { value.text }
}
