package import Traces

extension Notation {
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
