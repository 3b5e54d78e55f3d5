import States
import TestSupport
import Traces

/// A state that somebody has rewritten, with its checksum.
enum RewrittenState {
  /// The list of a file.
  static func list(of text: [UInt8]) throws -> [JSONValue] {
    guard case .array(let list) = try JSONValue.contents(of: text, path: "state")["state"] else {
      return []
    }
    return list
  }

  /// Returns the file with other numbers in one place or two: the ends of ranges, numbers beyond
  /// them, numbers near the old one, and random ones.
  static func text(of list: [JSONValue], _ generator: inout SeededGenerator) -> [UInt8] {
    var list = list
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      let place = self.place(in: list, &generator)
      switch list[place] {
      case .bool(let value): list[place] = .bool(!value)
      case .number(let text): list[place] = .number(number(insteadOf: text, &generator))
      default: list[place] = .null
      }
    }
    return StateFile.text(list)
  }

  /// Most of a chip's list are its memories, in which any number is valid. So it is mostly a place
  /// behind a name.
  private static func place(in list: [JSONValue], _ generator: inout SeededGenerator) -> Int {
    let any = Int.random(in: 0..<list.count, using: &generator)
    if any % 8 == 0 { return any }
    return list[..<any].lastIndex { if case .string = $0 { true } else { false } }.map { $0 + 1 }
      ?? any
  }

  private static func number(
    insteadOf text: String, _ generator: inout SeededGenerator
  ) -> String {
    let random = Int64.random(in: .min ... .max, using: &generator)
    let small = random >> Int64.random(in: 0..<64, using: &generator)
    let near = (Int64(text) ?? 0) &+ Int64.random(in: -3...3, using: &generator)
    return [
      "0", "1", "-1", "63", "64", "255", "65535", "4294967295", "\(1 << 50)", "\(1 << 60)",
      "\(-1 << 60)", "\(1 << 62)", "\(Int64.max)", "\(UInt64.max)", "1e300", "\(random)",
      "\(small)", "\(small)", "\(small.magnitude)", "\(near)", "\(near)", "\(near)", "\(near)", "0",
      "1",
    ].randomElement(using: &generator)!
  }
}
