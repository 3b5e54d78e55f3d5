import ArgumentParser
import Traces

/// Options for the length of a trace's session.
struct LengthOptions: ParsableArguments {
  @Flag(help: "Accept a session of more than a day, which is otherwise refused.")
  var allowLong = false

  var limit: SessionLimit? { allowLong ? nil : SessionLimit() }
}
