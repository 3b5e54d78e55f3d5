import Aim
import ArgumentParser

/// Parsers for options of `aim` that are more than a number or a word.
enum ArgumentForm {
  /// `WIDTHxHEIGHT`
  static func size(_ argument: String) throws -> Size {
    guard let (width, height) = numbers(argument, between: "x"), Size(width, height).isUsable else {
      throw ValidationError("A size is WIDTHxHEIGHT, each 1 to 1000000, for example 390x844.")
    }
    return Size(width, height)
  }

  /// `LEAST:MOST`
  static func range(_ argument: String) throws -> ClosedRange<Double> {
    guard let (least, most) = numbers(argument, between: ":"), least <= most else {
      throw ValidationError("A range is LEAST:MOST, for example 0.1:0.5.")
    }
    return least...most
  }

  /// `SHARE:DISTANCE`
  static func sample(_ argument: String) throws -> DistanceSample {
    guard let (share, distance) = numbers(argument, between: ":") else {
      throw ValidationError("A measurement is SHARE:DISTANCE, for example 0.04:2.5.")
    }
    return DistanceSample(share: share, distance: distance)
  }

  /// `LABEL:CONFIDENCE`. The label can contain colons too.
  static func gate(_ argument: String) throws -> Gate {
    guard let colon = argument.lastIndex(of: ":"),
      let least = Double(argument[argument.index(after: colon)...])
    else { throw ValidationError("A requirement is LABEL:CONFIDENCE, for example cat:0.7.") }
    return Gate(label: String(argument[..<colon]), least: least)
  }

  private static func numbers(
    _ argument: String, between mark: Character
  ) -> (Double, Double)? {
    let parts = argument.split(separator: mark, omittingEmptySubsequences: false)
    guard parts.count == 2, let one = Double(parts[0]), let other = Double(parts[1]) else {
      return nil
    }
    return (one, other)
  }
}
