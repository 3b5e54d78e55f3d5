import ArgumentParser
import Sessions
import Traces
import Turret

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

  /// Throws if timings are asked for, where only a model of the sketch can show what differs.
  func refuse() throws {
    guard let uncertainty, uncertainty.interval > .zero else { return }
    throw ValidationError(
      "--uncertainty requires a sketch that a model behaves as, and the device model: only a model "
        + "shows which commands are lost.")
  }

  /// Returns what is to be said where a trace's times are taken as exact although it states how far
  /// they can be off: a list of at most one sentence.
  func notes(_ header: Header) -> [String] {
    guard uncertainty == nil, header.uncertainty != nil else { return [] }
    return ["the times are uncertain, but are taken as exact here"]
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
