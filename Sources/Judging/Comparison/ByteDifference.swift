import Sketches
import Traces

/// The first place where the bytes of a live session differ from those of its trace.
package struct ByteDifference: Hashable, Sendable {
  private static let beforeCountMax = 12
  private static let restCountMax = 8

  /// The position of the difference, counted from 0.
  package var position: Int
  /// The number of bytes in the trace.
  package var expectedCount: Int
  /// The last few equal bytes.
  package var before: [UInt8]
  /// The next few bytes of the trace; empty at its end.
  package var expected: [UInt8]
  /// The next few bytes of the session.
  package var found: [UInt8]
  /// Whether the trace and the session continue after these bytes.
  private var isExpectedCut: Bool
  private var isFoundCut: Bool

  /// Nil if the bytes are the same.
  package init?(expected: [UInt8], found: [UInt8]) {
    let same = zip(expected, found).prefix { $0 == $1 }.count
    guard same < max(expected.count, found.count) else { return nil }
    position = same
    expectedCount = expected.count
    before = Array(expected[..<same].suffix(Self.beforeCountMax))
    self.expected = Array(expected[same...].prefix(Self.restCountMax))
    self.found = Array(found[same...].prefix(Self.restCountMax))
    isExpectedCut = expected.count - same > Self.restCountMax
    isFoundCut = found.count - same > Self.restCountMax
  }

  /// The difference in one sentence.
  package var message: String {
    let after = before.isEmpty ? "" : " after \(quoted(before, cutBefore: position > before.count))"
    if found.isEmpty {
      return "the sender stopped after \(position) of \(String(counting: expectedCount, "byte")): "
        + "expected \(quoted(expected, cutAfter: isExpectedCut))\(after), received nothing more"
    }
    if expected.isEmpty {
      return "the sender continued after the trace's \(String(counting: expectedCount, "byte")): "
        + "received \(quoted(found, cutAfter: isFoundCut))\(after)"
    }
    return "byte \(position + 1) of \(expectedCount) differs: "
      + "expected \(quoted(expected, cutAfter: isExpectedCut))\(after), "
      + "received \(quoted(found, cutAfter: isFoundCut))"
  }

  private func quoted(_ bytes: [UInt8], cutBefore: Bool = false, cutAfter: Bool = false) -> String {
    var text: [UInt8] = []
    text.appendQuoted(bytes: bytes)
    let quoted = String(decoding: text, as: UTF8.self).dropFirst().dropLast()
    return "\"\(cutBefore ? "..." : "")\(quoted)\(cutAfter ? "..." : "")\""
  }
}
