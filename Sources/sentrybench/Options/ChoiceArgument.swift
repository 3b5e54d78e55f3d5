import ArgumentParser

/// One of a library's words, which knows nothing of command lines.
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
