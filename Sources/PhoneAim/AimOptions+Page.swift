import Aim
import PageRequests
import Traces

extension AimOptions {
  /// Parses the options of the page: a JSON object whose members are named like the options of
  /// `sentrybench aim`. An empty text is an object without members.
  init(page text: String) throws(PageFailure) {
    self.init()
    guard !text.isEmpty else { return }
    let value: JSONValue
    do throws(TraceError) {
      value = try JSONValue.contents(of: Array(text.utf8), path: "options")
    } catch {
      throw PageFailure(error)
    }
    guard case .object(let members) = value else {
      throw PageFailure("expected options in an object, found \(value.noun)")
    }
    for member in members { try set(member.key, to: member.value) }
  }

  private mutating func set(_ key: String, to value: JSONValue) throws(PageFailure) {
    switch key {
    case "mapping": mapping = try Self.choice(key, value)
    case "gravity": gravity = try Self.choice(key, value)
    case "mirror":
      guard case .bool(let isOn) = value else {
        throw Self.unexpected(key, "true or false", value)
      }
      mirror = isOn
    case "label":
      guard case .string(let text) = value else { throw Self.unexpected(key, "a text", value) }
      label = text
    case "min-confidence": minConfidence = try Self.number(key, value)
    case "max-overlap": maxOverlap = try Self.number(key, value)
    case "min-height": leastHeight = try Self.number(key, value)
    case "stick": stick = try Self.number(key, value)
    default:
      throw PageFailure("expected an option of the page, found \(PlainText.quoted(key))")
    }
  }

  private static func number(_ key: String, _ value: JSONValue) throws(PageFailure) -> Double {
    guard case .number(let text) = value, let number = Double(text) else {
      throw unexpected(key, "a number", value)
    }
    return number
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ value: JSONValue
  ) throws(PageFailure) -> Choice {
    if case .string(let word) = value, let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    throw unexpected(key, words, value)
  }

  private static func unexpected(
    _ key: String, _ expected: String, _ found: JSONValue
  ) -> PageFailure {
    PageFailure("expected \(PlainText.quoted(key)) to be \(expected), found \(found.noun)")
  }
}
