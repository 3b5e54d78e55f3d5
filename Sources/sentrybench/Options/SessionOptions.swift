import ArgumentParser
import Devices
import Engine
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

  /// Returns what the options state. `choice` is the profile, if the command line names one.
  func stated(_ choice: ProfileChoice?) -> StatedSession {
    var stated = StatedSession()
    stated.firmware = deviceOptions.firmware
    stated.profile = choice
    stated.baud = speed.baud
    return stated
  }

  /// Returns the settings of a session that continues while its board is disconnected.
  func plan(
    _ session: SessionPlan, on source: any DeviceSource, _ network: NetworkPlan
  ) -> LivePlan {
    var plan = LivePlan(source: source, session: session)
    plan.verbosity = talk.verbosity
    plan.recording = rotation.record
    plan.rotation = rotation.policy
    plan.hasPty = false
    plan.network = network
    plan.log = network.log
    plan.end = duration.end
    plan.rejoins = deviceOptions.isBoard
    plan.awaitsBoard = deviceOptions.isBoard
    return plan
  }
}
