package import Sketches

/// The timing of a build as a file: a JSON object with a key for each field of `Timing`, in
/// microseconds with at most three decimal places.
extension Timing {
  private static let range = "microseconds from 0 to 60000000, with at most three places"

  /// Parses a timing. `path` is used in messages. Every field must be present, because a timing
  /// belongs to one build.
  package init(text: [UInt8], path: String) throws(TraceError) {
    self = try LineScanner.read(text, path: path) { (scanner) throws(LineScanner.Failure) in
      var found: [Field: Interval] = [:]
      try scanner.takeObject { (key, offset, scanner) throws(LineScanner.Failure) in
        guard let field = Field(rawValue: key) else {
          let names = Self.names(Field.allCases)
          throw .init(
            offset: offset, message: "expected one of \(names), found \(PlainText.quoted(key))")
        }
        found[field] = try Self.takeInterval(&scanner)
      }
      let missing = Field.allCases.filter { found[$0] == nil }
      guard missing.isEmpty else {
        throw .init(
          offset: 0,
          message: "expected every field of a timing, missing \(Self.names(missing))")
      }
      var timing = Timing()
      for (field, value) in found { timing[field] = value }
      if let problem = timing.problem { throw .init(offset: 0, message: problem) }
      return timing
    }
  }

  private static func names(_ fields: [Field]) -> String {
    fields.map { $0.rawValue }.joined(separator: ", ")
  }

  private static func takeInterval(
    _ scanner: inout LineScanner
  ) throws(LineScanner.Failure) -> Interval {
    scanner.skipSpace()
    let offset = scanner.position
    let text = String(try scanner.takeNumber("microseconds"))
    // Parsed as seconds, so that no binary fraction is involved.
    guard let value = Interval(decimalSeconds: text)?.nanoseconds, value % 1_000_000 == 0,
      value <= 60_000_000_000_000_000
    else {
      throw .init(
        offset: offset, message: "expected \(range), found \(JSONValue.number(text).noun)")
    }
    return .nanoseconds(value / 1_000_000)
  }

  /// The canonical text, with one line for each field.
  package var text: String {
    let lines = Field.allCases.map { field in
      let microseconds = Interval(nanoseconds: self[field].nanoseconds * 1_000_000)
      return "  \"\(field.rawValue)\": \(String(shortest: microseconds))"
    }
    return "{\n\(lines.joined(separator: ",\n"))\n}\n"
  }
}
