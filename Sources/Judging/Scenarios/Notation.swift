package import Devices
package import Sketches
package import Traces

/// A piece of a scenario file or of a rule in JSON, with its place: a text, a list or a mapping.
package indirect enum Notation: Hashable, Sendable {
  /// A text, number or word, kept as it is written.
  case text(String, Place)
  case list([Notation], Place)
  case mapping([Member], Place)

  package struct Member: Hashable, Sendable {
    package var key: String
    package var keyPlace: Place
    package var value: Notation

    package init(_ key: String, at keyPlace: Place = Place(), _ value: Notation) {
      self.key = key
      self.keyPlace = keyPlace
      self.value = value
    }

    /// The error for a key that is not expected here.
    package func unexpected(_ expected: String) -> NotationError {
      NotationError(keyPlace, "expected \(expected), found \(PlainText.quoted(key))")
    }
  }

  /// A line and a column in characters, both counted from 1; 0 if there is none.
  package struct Place: Hashable, Sendable {
    package var line: Int
    package var column: Int

    package init(line: Int = 0, column: Int = 0) {
      self.line = line
      self.column = column
    }
  }

  package var place: Place {
    switch self {
    case .text(_, let place), .list(_, let place), .mapping(_, let place): place
    }
  }
}

// Reading the values of a notation.
extension Notation {
  /// Returns the text. Throws if this is a list or a mapping.
  package func text(_ expected: String) throws(NotationError) -> String {
    guard case .text(let text, _) = self else { throw unexpected(expected) }
    return text
  }

  /// Returns the members of a mapping. Throws if this is a text or a list.
  package func members(_ expected: String) throws(NotationError) -> [Member] {
    guard case .mapping(let members, _) = self else { throw unexpected(expected) }
    return members
  }

  /// The items of a list; a single value stands for a list of one.
  package var items: [Notation] {
    if case .list(let items, _) = self { items } else { [self] }
  }

  package func unexpected(_ expected: String) -> NotationError {
    let found =
      switch self {
      case .text(let text, _): PlainText.quoted(text)
      case .list: "a list"
      case .mapping: "a mapping"
      }
    return NotationError(place, "expected \(expected), found \(found)")
  }

  /// Returns the text, which must be one of these words.
  func word(among words: [String]) throws(NotationError) -> String {
    let expected = "one of \(words.joined(separator: ", "))"
    let word = try text(expected)
    guard words.contains(word) else {
      var error = unexpected(expected)
      error.message += Nearest.remark(on: word, among: words)
      throw error
    }
    return word
  }

  /// Parses a length of time with its unit.
  package func duration() throws(NotationError) -> Interval {
    let expected = "a length of time with its unit, for example 50ms"
    let text = try text(expected)
    if let interval = Interval(withUnit: text.filter { $0 != " " }) { return interval }
    if let number = Double(text), number >= 0 {
      throw NotationError(
        place, "expected \(expected), found \(text) without one; write \(text)ms or \(text)s")
    }
    throw unexpected(expected)
  }

  package func count(_ expected: String) throws(NotationError) -> Int {
    guard let count = Int32(try text(expected)), count >= 0 else { throw unexpected(expected) }
    return Int(count)
  }

  /// Parses the speed of a line, in bits a second.
  package func baud() throws(NotationError) -> Int {
    let expected = "a speed from 1 to \(SerialLine.bauds.upperBound)"
    let speed = try count(expected)
    guard SerialLine.bauds.contains(speed) else { throw unexpected(expected) }
    return speed
  }

  package func bool() throws(NotationError) -> Bool {
    switch try text("yes or no") {
    case "yes", "true": return true
    case "no", "false": return false
    default: throw unexpected("yes or no")
    }
  }

  /// Parses whole numbers: `110`, `108..112` or `110 ± 2`, each with or without the unit.
  package func range(
    _ limits: ClosedRange<Int>, unit: String, _ expected: String
  ) throws(NotationError) -> ClosedRange<Int> {
    let range = try range(unit: unit, expected)
    guard range.lowerBound >= Double(limits.lowerBound),
      range.upperBound <= Double(limits.upperBound),
      let low = Int(exactly: range.lowerBound), let high = Int(exactly: range.upperBound)
    else { throw unexpected(expected) }
    return low...high
  }

  /// Parses numbers: `110`, `108..112` or `110 ± 2`, each with or without the unit. `error` is that
  /// of a single number.
  package func range(
    unit: String, error: Double = 0, _ expected: String
  ) throws(NotationError) -> ClosedRange<Double> {
    let text = try text(expected)
    func number(_ part: String) throws(NotationError) -> Double {
      var digits = String(part.filter { $0 != " " })
      if digits.hasSuffix(unit) { digits.removeLast(unit.count) }
      guard let first = digits.first, first != ".",
        digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
        let number = Double(digits), number < 1e9
      else { throw unexpected(expected) }
      return number
    }
    if let parts = text.halves(around: "..") {
      let (low, high) = (try number(parts.0), try number(parts.1))
      guard low <= high else {
        throw NotationError(place, "expected a range from low to high, found \(text)")
      }
      return low...high
    }
    if let parts = text.halves(around: "±") {
      let (middle, error) = (try number(parts.0), try number(parts.1))
      return (middle - error)...(middle + error)
    }
    let middle = try number(text)
    return (middle - error)...(middle + error)
  }

  /// Parses a single number, with or without the unit.
  func number(
    _ limits: ClosedRange<Double>, unit: String, _ expected: String
  ) throws(NotationError) -> Double {
    let range = try range(unit: unit, expected)
    guard range.lowerBound == range.upperBound, limits.contains(range.lowerBound) else {
      throw unexpected(expected)
    }
    return range.lowerBound
  }

  package func pattern() throws(NotationError) -> TextPattern {
    let expected = "a text whose characters are all bytes, up to U+00FF"
    guard let pattern = TextPattern(try text(expected)) else { throw unexpected(expected) }
    return pattern
  }
}

extension String {
  /// Splits the text at the first separator; nil if there is none.
  fileprivate func halves(around separator: String) -> (String, String)? {
    let (bytes, mark) = (Array(utf8), Array(separator.utf8))
    let start = bytes.indices.first { bytes[$0...].starts(with: mark) }
    return start.map { start in
      (
        String(decoding: bytes[..<start], as: UTF8.self),
        String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
      )
    }
  }
}

extension Notation {
  /// Throws unless all members of a mapping are known, and each is there once. `whole`: what the
  /// mapping is, for the message.
  package static func check(
    _ members: [Notation.Member], _ keys: [String], of whole: String? = nil
  ) throws(NotationError) {
    var seen: Set<String> = []
    var mistakes = Mistakes()
    for member in members {
      guard keys.contains(member.key) else {
        let key = PlainText.quoted(member.key)
        let all = keys.joined(separator: ", ")
        var remark = Nearest.remark(on: member.key, among: keys)
        if let whole, remark.isEmpty { remark = "; \(whole) has \(all)" }
        mistakes.add(
          NotationError(
            member.keyPlace,
            remark.isEmpty
              ? "expected one of \(all), found \(key)" : "\(key) is not known here" + remark))
        continue
      }
      if !seen.insert(member.key).inserted {
        mistakes.add(
          NotationError(
            member.keyPlace, "expected each key once; \"\(member.key)\" is there twice"))
      }
    }
    try mistakes.check()
  }

  package func faults() throws(NotationError) -> [FaultSpec] {
    var faults: [FaultSpec] = []
    var mistakes = Mistakes()
    for item in items {
      mistakes.reading { () throws(NotationError) in try item.addFault(to: &faults) }
    }
    try mistakes.check()
    return faults
  }

  private func addFault(to faults: inout [FaultSpec]) throws(NotationError) {
    let text = try text("a fault, for example drop:1%")
    do throws(SpecError) {
      try faults.add(FaultSpec.parse(text))
    } catch {
      // The place of a text without quotes; with them, the column is one too small.
      var place = place
      if place.column > 0 { place.column += error.column - 1 }
      throw NotationError(place, error.message)
    }
  }

  /// Creates a notation without places from JSON. `true` and `false` become `yes` and `no`.
  package init(_ value: JSONValue) {
    let place = Place()
    self =
      switch value {
      case .null: .text("", place)
      case .bool(let value): .text(value ? "yes" : "no", place)
      case .number(let text), .string(let text): .text(text, place)
      case .array(let items): .list(items.map { Notation($0) }, place)
      case .object(let members):
        .mapping(members.map { Member($0.key, Notation($0.value)) }, place)
      }
  }
}

/// A mistake in a scenario file or a rule.
package struct NotationError: Error, Hashable, Sendable {
  package var place: Notation.Place
  /// What was expected and what was found.
  package var message: String
  /// The other mistakes in the same file, in its order, each without others.
  package fileprivate(set) var others: [NotationError] = []

  package init(_ place: Notation.Place, _ message: String) {
    self.place = place
    self.message = message
  }

  /// This mistake and the others, each without others.
  package var all: [NotationError] {
    var first = self
    first.others = []
    return [first] + others
  }

  /// The messages in a compiler's format, one in a line: `file:line:column: error: message`.
  package func text(in path: String) -> String {
    all.map { $0.line(in: path) }.joined(separator: "\n")
  }

  private func line(in path: String) -> String {
    var text = PlainText.escaped(path)
    if place.line > 0 { text += ":\(place.line)" }
    if place.column > 0 { text += ":\(place.column)" }
    return "\(text): error: \(message)"
  }
}

/// Collects the mistakes in parts of a file that can be read independently, so that all are
/// reported at once.
package struct Mistakes {
  private var found: [NotationError] = []

  package init() {}

  package var isEmpty: Bool { found.isEmpty }

  package mutating func add(_ error: NotationError) {
    // Defaults are read again for each scenario.
    for mistake in error.all where !found.contains(mistake) { found.append(mistake) }
  }

  /// Returns what is read; nil if there is a mistake in it.
  @discardableResult
  package mutating func reading<Value>(
    _ read: () throws(NotationError) -> Value
  ) -> Value? {
    do throws(NotationError) {
      return try read()
    } catch {
      add(error)
      return nil
    }
  }

  /// Throws the mistakes in the order of the file, unless there are none.
  package func check() throws(NotationError) {
    let sorted = found.enumerated().sorted {
      ($0.element.place.line, $0.element.place.column, $0.offset)
        < ($1.element.place.line, $1.element.place.column, $1.offset)
    }
    guard var first = sorted.first?.element else { return }
    first.others = sorted.dropFirst().map { $0.element }
    throw first
  }
}
