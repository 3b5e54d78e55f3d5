import ArgumentParser

/// A choice from a library's list, which itself does not depend on the argument parser.
struct ChoiceArgument<Choice>: ExpressibleByArgument, CustomStringConvertible
where Choice: RawRepresentable<String> & CaseIterable & Sendable {
  var choice: Choice

  init(_ choice: Choice) { self.choice = choice }

  init?(argument: String) {
    guard let choice = Choice(rawValue: argument) else { return nil }
    self.choice = choice
  }

  var description: String { choice.rawValue }

  static var allValueStrings: [String] { Choice.allCases.map(\.rawValue) }
}
