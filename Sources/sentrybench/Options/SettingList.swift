import ArgumentParser
import Judging
import Sketches
import Traces

/// What a list such as `clients=8,idle=60s` on the command line sets. If an option is given more
/// than once, all its lists count, and the last value of a setting.
struct SettingList<Target>: Sendable {
  private let changes: [@Sendable (inout Target) -> Void]

  /// Parses a list. A comma begins the next setting; a comma in a value is written `\,`.
  init(_ text: String, of settings: [Setting<Target>]) throws {
    changes = try Self.parts(of: text).map { part in
      let (name, value) = Self.divided(part, settings)
      guard let setting = settings.first(where: { $0.name == name }) else {
        throw ValidationError(Self.message(for: part, name, settings))
      }
      guard let change = setting.change(value) else {
        let requirement =
          name.isEmpty
          ? "Expected \(setting.expected)" : "\(setting.form) requires \(setting.expected)"
        let found = value.map { ", found \(PlainText.quoted($0))" } ?? ""
        throw ValidationError("\(requirement)\(found).")
      }
      return change
    }
  }

  private static func message(
    for part: String, _ name: String, _ settings: [Setting<Target>]
  ) -> String {
    let named = settings.filter { !$0.name.isEmpty }
    let forms = (named + settings.filter { $0.name.isEmpty }).map(\.form)
    let expected = [forms.dropLast().joined(separator: ", "), forms.last ?? ""]
      .joined(separator: " or ")
    let remark = Nearest.remark(on: name, among: named.map(\.name))
    return "Expected \(expected), found \(PlainText.quoted(part))\(remark.isEmpty ? "." : remark)"
  }

  func apply(to target: inout Target) {
    for change in changes { change(&target) }
  }

  /// Separates a name from its value, which is nil for a word that stands alone. A value without a
  /// name belongs to the setting that has none.
  private static func divided(
    _ part: String, _ settings: [Setting<Target>]
  ) -> (name: String, value: String?) {
    if let equals = part.firstIndex(of: "=") {
      return (String(part[..<equals]), String(part[part.index(after: equals)...]))
    }
    let isUnnamed = settings.contains { $0.name.isEmpty } && !settings.contains { $0.name == part }
    return isUnnamed ? ("", part) : (part, nil)
  }

  private static func parts(of text: String) -> [String] {
    var parts = [""]
    var rest = text[...]
    while let character = rest.popFirst() {
      if character == "," {
        parts.append("")
      } else if character == "\\", rest.first == "," {
        parts[parts.count - 1].append(rest.removeFirst())
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}

extension Array {
  /// Applies the lists in their order.
  func apply<Target>(to target: inout Target) where Element == SettingList<Target> {
    for list in self { list.apply(to: &target) }
  }
}

/// A setting that a list on the command line can have.
struct Setting<Target> {
  /// Empty for the one whose value stands alone.
  let name: String
  /// What its value is, for errors.
  let expected: String
  /// How it is written, for errors.
  let form: String
  /// Returns what a value changes; nil for an invalid value. The value is nil for the name alone.
  let change: (_ value: String?) -> (@Sendable (inout Target) -> Void)?

  init(
    _ name: String, _ expected: String,
    change: @escaping (_ value: String) -> (@Sendable (inout Target) -> Void)?
  ) {
    self.name = name
    self.expected = expected
    form = name.isEmpty ? expected : "\(name)="
    self.change = { $0.flatMap(change) }
  }

  init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Target, Value> & Sendable, _ expected: String,
    parse: @escaping (String) -> Value?
  ) {
    self.init(name, expected) { text in
      guard let value = parse(text) else { return nil }
      return { target in target[keyPath: path] = value }
    }
  }

  /// A word that stands alone.
  init(flag name: String, _ path: any WritableKeyPath<Target, Bool> & Sendable) {
    self.name = name
    expected = "no value"
    form = name
    change = { value in
      guard value == nil else { return nil }
      return { target in target[keyPath: path] = true }
    }
  }

  init(
    _ name: String, _ path: any WritableKeyPath<Target, Int> & Sendable, in range: ClosedRange<Int>
  ) {
    self.init(name, path, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// The path of a file.
  init(_ name: String, path: any WritableKeyPath<Target, String?> & Sendable) {
    self.init(name, path, "a path") { (text) -> String?? in
      text.isEmpty ? .none : .some(.some(text))
    }
  }
}
