import Turret

/// How traces and reports treat one kind of output: how it is read, written, compared and named.
struct OutputFormat: Sendable {
  typealias Reader = @Sendable (inout LineScanner) throws(LineScanner.Failure) -> Output

  /// Reads the values after the kind, and the comma in front of each of them.
  let read: Reader
  /// Appends the values, and a comma in front of each of them.
  let write: @Sendable (Output, inout [UInt8]) -> Void
  /// Whether a verification treats the second output as equal to the first, which was expected.
  let matches: @Sendable (Output, Output) -> Bool
  /// The output as a report names it.
  let describe: @Sendable (Output) -> String

  /// `value`: what the output carries; nil for another kind.
  init<Value>(
    _ value: @escaping @Sendable (Output) -> Value?,
    read: @escaping Reader,
    write: @escaping @Sendable (Value, inout [UInt8]) -> Void,
    matches: @escaping @Sendable (_ expected: Value, _ found: Value) -> Bool,
    describe: @escaping @Sendable (Value) -> String
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
  }
}

extension Output.Kind {
  /// The table of formats: one line a kind.
  var format: OutputFormat {
    switch self {
    case .servo: .servo
    case .pulse: .pulse
    case .tone: .tone
    case .transmit: .transmit
    case .lost: .lost
    }
  }

  /// The kind with that name; nil if there is none.
  package init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}
