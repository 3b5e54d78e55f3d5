import ArgumentParser
import Devices
import Gateway
import Sessions
import Traces
import Turret

/// Options that `gateway` and `follow` share: sessions without a pty, with a network and a log.
struct SessionOptions: ParsableArguments {
  @OptionGroup(title: HelpGroup.session) var duration: DurationOptions
  @OptionGroup(title: HelpGroup.port) var speed: SpeedOptions
  @OptionGroup var deviceOptions: DeviceOptions
  @OptionGroup(title: HelpGroup.device) var profileOptions: ProfileOptions
  @OptionGroup(title: HelpGroup.output) var rotation: RotationOptions
  @OptionGroup(title: HelpGroup.output) var logOptions: LogOptions
  @OptionGroup(title: HelpGroup.output) var force: ForceOptions
  @OptionGroup(title: HelpGroup.output) var talk: TalkOptions

  /// Returns the session's sketch. `choice` is the profile, if the command line names one.
  func sketch(_ choice: ProfileChoice?, _ source: any DeviceSource) -> SessionSketch {
    SessionSketch(on: source, firmware: deviceOptions.firmware, profile: choice)
  }

  /// Returns the board's speed. `choice` is the profile, if the command line names one.
  func baud(_ choice: ProfileChoice?, _ source: any DeviceSource) -> Int {
    speed.baud ?? choice?.profile?.baud ?? source.findSpeed() ?? 9_600
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
    run.end = duration.end
    run.rejoins = deviceOptions.isBoard
    run.startsWithoutBoard = deviceOptions.isBoard
    return run
  }
}
