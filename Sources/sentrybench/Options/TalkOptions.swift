import ArgumentParser
import Sessions

/// Options for how much is printed.
struct TalkOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print more.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print less.")
  var quiet = false

  var verbosity: Verbosity { quiet ? .quiet : verbose ? .verbose : .normal }

  func validate() throws {
    if verbose && quiet { throw ValidationError("-v and -q cannot be combined.") }
  }
}
