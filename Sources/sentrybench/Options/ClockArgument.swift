import AVR
import ArgumentParser

/// The frequency of the emulated chip's clock, such as `8MHz`.
struct ClockArgument {
  var rate: ClockRate

  init(_ argument: String) throws {
    guard argument.hasSuffix("MHz"), let rate = Self.rate(argument.dropLast(3)) else {
      throw ValidationError(
        "--clock requires 1MHz to 20MHz, with at most six places, for example 8MHz, found "
          + "\"\(argument)\".")
    }
    self.rate = rate
  }

  /// Parses megahertz.
  private static func rate(_ text: Substring) -> ClockRate? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = UInt32(parts[0]), whole <= 20 else { return nil }
    let places = parts.count > 1 ? parts[1] : "0"
    guard (1...6).contains(places.utf8.count),
      places.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let rest = UInt32(places + String(repeating: "0", count: 6 - places.utf8.count))
    else { return nil }
    return ClockRate(hertz: whole * 1_000_000 + rest)
  }
}
