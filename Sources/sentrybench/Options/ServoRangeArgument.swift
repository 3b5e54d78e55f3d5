import ArgumentParser
import Turret

/// The pulses of 0 and 180 degrees, such as `1000..2000us`.
struct ServoRangeArgument {
  var range: ServoRange

  init(_ argument: String) throws {
    guard argument.hasSuffix("us"), let range = Self.range(argument.dropLast(2)) else {
      throw ValidationError(
        "--servo-range requires two widths, the shorter first, for example 1000..2000us, found "
          + "\"\(argument)\".")
    }
    self.range = range
  }

  private static func range(_ text: Substring) -> ServoRange? {
    let ends = text.split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let first = UInt16(ends[0]), let last = UInt16(ends[2])
    else { return nil }
    return ServoRange(first, last)
  }
}
