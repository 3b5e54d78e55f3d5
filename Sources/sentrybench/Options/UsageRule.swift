import ArgumentParser
import Sessions
import Sketches
import Traces

/// Which options go together, and which values they take: a row of the table that a command or a
/// group of options checks.
struct UsageRule {
  let isBroken: Bool
  let sentence: String

  /// A rule of its own form.
  init(brokenIf isBroken: Bool, _ sentence: String) {
    self.isBroken = isBroken
    self.sentence = sentence
  }

  /// `option` can be given only with one of `others`, which `names` lists.
  init(
    _ option: String, _ value: any Givable, requires names: String, _ others: any Givable...,
    because reason: String = ""
  ) {
    let isPlural = !option.hasPrefix("-") || option.contains(" and ")
    self.init(
      brokenIf: value.isGiven && !others.contains { $0.isGiven },
      "\(option) \(isPlural ? "require" : "requires") \(names)\(Self.end(reason))")
  }

  /// `option` cannot be given with any of `others`, which `names` lists.
  init(
    _ option: String, _ value: any Givable, excludes names: String, _ others: any Givable...,
    because reason: String = ""
  ) {
    self.init(
      brokenIf: value.isGiven && others.contains { $0.isGiven },
      "\(option) cannot be combined with \(names)\(Self.end(reason))")
  }

  /// The value of `option` must be in a range. `noun` says what it is.
  init(_ option: String, _ value: Int?, in range: ClosedRange<Int>, noun: String = "number") {
    self.init(
      brokenIf: value.map { !range.contains($0) } ?? false,
      "\(option) requires a \(noun) from \(range.lowerBound) to \(range.upperBound).")
  }

  init(_ option: String, _ value: Int?, atLeast least: Int) {
    self.init(
      brokenIf: value.map { $0 < least } ?? false,
      "\(option) requires a number of at least \(least).")
  }

  /// `least` is a time with a unit.
  init(_ option: String, _ value: Interval?, atLeast least: String) {
    self.init(
      brokenIf: value.map { $0 < Interval(withUnit: least) ?? .zero } ?? false,
      "\(option) requires a time of at least \(least).")
  }

  /// The speed of a line.
  init(_ option: String, baud: Int?) {
    self.init(
      brokenIf: baud.map { !SerialLine.bauds.contains($0) } ?? false,
      "\(option) requires a speed from 1 to \(SerialLine.bauds.upperBound).")
  }

  /// A report for programs and one of tests cannot both be printed.
  static func ofReports(_ json: Bool, _ junit: String?) -> UsageRule {
    UsageRule(
      brokenIf: json && junit == "-", "--json and --junit - cannot both use standard output.")
  }

  private static func end(_ reason: String) -> String { reason.isEmpty ? "." : ": \(reason)." }

  /// Throws the sentence of the first rule that is broken.
  static func check(_ rules: UsageRule...) throws { try check(rules) }

  static func check(_ rules: [UsageRule]) throws {
    if let broken = rules.first(where: { $0.isBroken }) { throw ValidationError(broken.sentence) }
  }
}

/// The value of an option, which can be given or not.
protocol Givable { var isGiven: Bool { get } }

extension Bool: Givable { var isGiven: Bool { self } }
extension Optional: Givable { var isGiven: Bool { self != nil } }
extension Array: Givable { var isGiven: Bool { !isEmpty } }
