import ArgumentParser
import Sessions

/// Options of commands that replay a session with uncertain times in many worlds.
struct WorldOptions: ParsableArguments {
  @Option(
    help: """
      How far the time of each byte can be off, for example 5ms. The session is replayed in many \
      timings within these bounds. Default: what the trace states; 0s takes its times as exact.
      """,
    transform: TimeArgument.init)
  var uncertainty: TimeArgument?

  @Option(
    help: """
      The number of timings to replay. Default: 1000, or on avr: as many as 10 s of processor time \
      allow.
      """)
  var worlds: Int?

  @Option(help: "The seed from which the timings are drawn. Default: 1.")
  var seed: UInt64?

  func validate() throws {
    if let worlds, !WorldsRun.counts.contains(worlds) {
      throw ValidationError(
        "--worlds requires a number from \(WorldsRun.counts.lowerBound) to "
          + "\(WorldsRun.counts.upperBound).")
    }
  }

  /// Replays worlds as the options state.
  var run: WorldsRun {
    var run = WorldsRun()
    run.uncertainty = uncertainty?.interval
    run.count = worlds
    run.seed = seed ?? WorldsRun.defaultSeed
    return run
  }
}
