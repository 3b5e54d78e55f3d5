import TestSupport
import Traces

extension JSONValue {
  /// Returns all values that result from replacing one part by another value.
  func changed(
    to other: JSONValue, where isReplaced: (JSONValue) -> Bool = { _ in true }
  ) -> [JSONValue] {
    var all = isReplaced(self) ? [other] : []
    switch self {
    case .object(let members):
      for (index, member) in members.enumerated() {
        for inner in member.value.changed(to: other, where: isReplaced) {
          var copy = members
          copy[index].value = inner
          all.append(.object(copy))
        }
      }
    case .array(let items):
      // Long lists are those of memories, whose items are alike.
      for (index, item) in items.prefix(8).enumerated() {
        for inner in item.changed(to: other, where: isReplaced) {
          var copy = items
          copy[index] = inner
          all.append(.array(copy))
        }
      }
    case .null, .bool, .number, .string: break
    }
    return all
  }

  /// Returns the values with one number replaced: by the ends of ranges, by numbers beyond them, and
  /// by random ones.
  func withOtherNumbers(_ generator: inout SeededGenerator) -> [JSONValue] {
    let random = Int64.random(in: .min ... .max, using: &generator)
    let small = random >> Int64.random(in: 0..<64, using: &generator)
    return [
      "0", "1", "-1", "255", "65535", "\(Int64.min)", "\(Int64.max)", "\(UInt64.max)",
      "4000000000000000000", "99999999999999999999", "1e300", "\(random)", "\(small)",
    ].flatMap { number in
      changed(to: .number(number)) { if case .number = $0 { true } else { false } }
    }
  }
}
