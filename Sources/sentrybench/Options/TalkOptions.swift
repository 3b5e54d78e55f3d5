import ArgumentParser
import Sessions

/// Options for how much is printed.
struct TalkOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print more.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print less.")
  var quiet = false

  var verbosity: Verbosity { quiet ? .quiet : verbose ? .verbose : .normal }

  /// Reports what was assumed when the file at `path` was converted.
  func report(_ notes: [String], about path: String) {
    guard !quiet else { return }
    for note in notes { Console.report("\(path): \(note)") }
  }

  func validate() throws {
    if verbose && quiet { throw ValidationError("-v and -q cannot be combined.") }
  }
}
