import ArgumentParser
import Sessions
import Turret

/// Options for the start and the end of a replay, if they are not the trace's.
struct StateOptions: ParsableArguments {
  @Option(
    help: "End the replay at this time of the session, for example 2.5s.",
    transform: TimeArgument.init)
  var until: TimeArgument?

  @Option(
    help: """
      Write the state of the device at that time to this file, for --from-state. Requires --until.
      """, completion: .file())
  var saveState: String?

  @Option(
    help: """
      Continue from a state written by --save-state. Events of the trace up to that time are \
      skipped, since the state contains their effects. Times remain those of the session; the \
      header contains "from".
      """, completion: .file())
  var fromState: String?

  func validate() throws {
    if saveState != nil && until == nil {
      throw ValidationError("--save-state requires --until, which gives the time.")
    }
    if let until, until.interval.nanoseconds % 1_000 != 0 {
      throw ValidationError("--until requires whole microseconds, the resolution of outputs.")
    }
  }

  var isGiven: Bool { saveState != nil || fromState != nil }

  var states: ReplayStates {
    ReplayStates(end: until.map { .zero + $0.interval }, from: fromState, to: saveState)
  }
}
