import ArgumentParser
import Devices
import Gateway
import Sessions
import Traces
import Turret

/// Options that `gateway` and `follow` share: sessions without a pty, with a network and a log.
struct SessionOptions: ParsableArguments {
  @OptionGroup var deviceOptions: DeviceOptions
  @OptionGroup var rotation: RotationOptions
  @OptionGroup var profileOptions: ProfileOptions

  @Option(
    name: .customLong("baud"),
    help: """
      The board's speed in bits a second. Default: that of the profile, or of the program on \
      avr:FILE, or 9600.
      """
  )
  var chosenBaud: Int?

  @Option(
    name: .customLong("for"), help: "End after this time, for example 10s.",
    transform: TimeArgument.init)
  var length: TimeArgument?

  @OptionGroup var logOptions: LogOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if let chosenBaud, !SerialLine.bauds.contains(chosenBaud) {
      throw ValidationError("--baud requires a speed from 1 to \(SerialLine.bauds.upperBound).")
    }
    if let length, length.interval < .milliseconds(1) {
      throw ValidationError("--for requires a time of at least 1ms.")
    }
  }

  /// Returns the session's sketch. `choice` is the profile, if the command line names one.
  func sketch(_ choice: ProfileChoice?, _ source: any DeviceSource) -> SessionSketch {
    SessionSketch(on: source, firmware: deviceOptions.firmware, profile: choice)
  }

  /// Returns the board's speed. `choice` is the profile, if the command line names one.
  func baud(_ choice: ProfileChoice?, _ source: any DeviceSource) -> Int {
    chosenBaud ?? choice?.profile?.baud ?? source.findSpeed() ?? 9_600
  }

  /// Creates a session on `source` that continues while its board is disconnected.
  func makeRun(
    _ source: any DeviceSource, _ sketch: SessionSketch, on network: NetworkPlan, baud: Int
  ) -> LiveRun {
    var run = LiveRun(
      source: source, firmware: sketch.firmware, baud: baud, verbosity: talk.verbosity,
      recording: rotation.record)
    run.profile = sketch.profile
    run.rotation = rotation.policy
    run.hasPty = false
    run.network = network
    run.log = network.log
    run.end = length.map { .zero + .microseconds($0.interval.nanoseconds / 1_000) }
    run.rejoins = deviceOptions.isBoard
    run.startsWithoutBoard = deviceOptions.isBoard
    return run
  }
}
