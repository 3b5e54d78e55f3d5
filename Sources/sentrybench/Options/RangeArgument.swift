import ArgumentParser

/// `LEAST:MOST`, the first not above the second.
struct RangeArgument: ExpressibleByArgument {
  var range: ClosedRange<Double>

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let least = Double(parts[0]), let most = Double(parts[1]),
      least <= most
    else { return nil }
    range = least...most
  }
}
