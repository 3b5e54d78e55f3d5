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

  @Option(help: "The board's speed in bits a second.")
  var baud = 9_600

  @Option(
    name: .customLong("for"), help: "End after this time, for example 10s.",
    transform: TimeArgument.init)
  var length: TimeArgument?

  @OptionGroup var logOptions: LogOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    if !SerialLine.bauds.contains(baud) {
      throw ValidationError("--baud requires a speed from 1 to \(SerialLine.bauds.upperBound).")
    }
    if let length, length.interval < .milliseconds(1) {
      throw ValidationError("--for requires a time of at least 1ms.")
    }
  }

  var firmware: Firmware { deviceOptions.firmware ?? .guarded }

  /// Creates a session on `source` that continues while its board is disconnected.
  func makeRun(_ source: any DeviceSource, on network: NetworkPlan) -> LiveRun {
    var run = LiveRun(
      source: source, firmware: firmware, baud: baud, verbosity: talk.verbosity,
      recording: rotation.record)
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
