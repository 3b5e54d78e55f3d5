package import Turret

// Unknown values are null. There is a function for each kind, because the type checker takes a long
// time over an expression with several `map` and `??`.
extension JSONValue {
  package static func text(_ value: String?) -> JSONValue {
    guard let value else { return .null }
    return .string(value)
  }

  package static func whole(_ value: (some FixedWidthInteger)?) -> JSONValue {
    guard let value else { return .null }
    return .number(String(value))
  }

  package static func shortest(_ value: Double?) -> JSONValue {
    guard let value else { return .null }
    return .number(String(shortest: value))
  }

  /// Returns an instant in seconds, to the millisecond.
  package static func seconds(_ time: Instant) -> JSONValue {
    .number(String(shortest: .milliseconds(time.nanoseconds / 1_000_000)))
  }
}
