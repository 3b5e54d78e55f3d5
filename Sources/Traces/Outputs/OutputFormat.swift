package import Sketches

/// How traces and reports treat one kind of output: how it is parsed, written, compared and shown.
struct OutputFormat: Sendable {
  typealias Reader = @Sendable (inout LineScanner) throws(LineScanner.Failure) -> Output

  /// Parses the values after the kind, each with the comma before it.
  let read: Reader
  /// Appends the values, each with a comma before it.
  let write: @Sendable (Output, inout [UInt8]) -> Void
  /// Whether a verification treats the second output as equal to the first, the expected one.
  let matches: @Sendable (Output, Output) -> Bool
  /// Returns the output as a report shows it.
  let describe: @Sendable (Output) -> String
  /// Returns whether the output switches something on, or off; nil if it does not switch anything.
  let isOn: @Sendable (Output) -> Bool?

  /// `value` returns what the output carries; nil for another kind. An output that switches
  /// something, such as an LED, has `isOn`: pictures show it as a row of levels.
  init<Value>(
    _ value: @escaping @Sendable (Output) -> Value?,
    read: @escaping Reader,
    write: @escaping @Sendable (Value, inout [UInt8]) -> Void,
    matches: @escaping @Sendable (_ expected: Value, _ found: Value) -> Bool,
    describe: @escaping @Sendable (Value) -> String,
    isOn: (@Sendable (Value) -> Bool)? = nil
  ) {
    self.read = read
    self.write = { output, text in
      if let value = value(output) { write(value, &text) }
    }
    self.matches = { expected, found in
      guard let expected = value(expected), let found = value(found) else { return false }
      return matches(expected, found)
    }
    self.describe = { output in value(output).map { describe($0) } ?? "" }
    self.isOn = { output in
      guard let isOn, let value = value(output) else { return nil }
      return isOn(value)
    }
  }
}

extension Output.Kind {
  /// The table of formats, with one line for each kind.
  var format: OutputFormat {
    switch self {
    case .servo: .servo
    case .pulse: .pulse
    case .tone: .tone
    case .transmit: .transmit
    case .lost: .lost
    case .pin: .pin
    case .attached: .attached
    case .detached: .detached
    }
  }

  /// Returns the kind with that name; nil if there is none.
  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

extension Output {
  /// Whether a verification treats the two as equal: a pulse within 3 us, a tone within 1 % of the
  /// expected one, everything else exactly.
  package func matches(_ found: Output) -> Bool {
    // By far the most frequent answer, and the formats are closures.
    if self == found { return true }
    return kind == found.kind && kind.format.matches(self, found)
  }

  /// Whether the output switches something on, or off; nil if it does not switch anything.
  package var isOn: Bool? { kind.format.isOn(self) }
}

extension Output: CustomStringConvertible {
  /// The output as a report shows it.
  package var description: String { kind.format.describe(self) }
}
