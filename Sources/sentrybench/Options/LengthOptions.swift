import ArgumentParser
import Sessions

/// Options for the length of a trace's session.
struct LengthOptions: ParsableArguments {
  @Flag(help: "Accept a session of more than a day, which is otherwise refused.")
  var allowLong = false

  var limit: LengthLimit { LengthLimit(acceptsAny: allowLong) }
}
