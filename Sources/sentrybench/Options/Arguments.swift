import ArgumentParser
import Sessions
import Sketches
import Traces

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

/// The virtual servo's data, selected by name.
struct ServoArgument: ExpressibleByArgument, CustomStringConvertible {
  var data: ServoData

  init(data: ServoData) { self.data = data }

  init?(argument: String) {
    guard let data = ServoData.presets.first(where: { $0.name == argument }) else { return nil }
    self.data = data
  }

  var description: String { data.name }

  static let allValueStrings = ServoData.presets.map(\.name)
}

/// A length of time on the command line: a decimal with a unit, `200us`, `15ms`, `1.5s`.
///
/// An option uses it with `transform: TimeArgument.init`, so that an error can say what is missing.
struct TimeArgument {
  var interval: Interval

  init(_ argument: String) throws {
    guard let interval = Interval(withUnit: argument) else {
      if Interval(withUnit: argument + "s") != nil {
        throw ValidationError("A time needs a unit: write \(argument)s or \(argument)ms.")
      }
      throw ValidationError("A time is a number with a unit: 200us, 15ms or 1.5s.")
    }
    self.interval = interval
  }
}

/// A limit of time on the command line: a time with a unit, or 0 for no limit.
///
/// An option uses it with `transform: TimeoutArgument.init`, like `TimeArgument`.
struct TimeoutArgument {
  /// Nil for no limit.
  var interval: Interval?

  init(_ argument: String) throws {
    if argument == "0" { return }
    let time = try TimeArgument(argument)
    interval = time.interval > .zero ? time.interval : nil
  }
}

/// One part of several: `2/4` is the second of four.
struct ShardArgument: ExpressibleByArgument {
  let shard: Shard

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
      count >= 1, (1...count).contains(index)
    else { return nil }
    shard = Shard(index, of: count)
  }
}
