import Aim
import ArgumentParser

/// `WIDTHxHEIGHT`, both above 0.
struct SizeArgument: ExpressibleByArgument {
  var size: Size

  init?(argument: String) {
    let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Double(parts[0]), let height = Double(parts[1]) else {
      return nil
    }
    size = Size(width, height)
    guard size.isUsable else { return nil }
  }
}
