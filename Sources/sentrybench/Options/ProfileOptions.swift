import ArgumentParser
import Devices
import Engine
import Logging
import Network
import Sessions
import Sketches

/// The option that selects a sketch's commands.
struct ProfileOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The sketch's commands: a file, the name of a sketch of the bench (\(Firmware.list)), or \
      none, so that bytes are passed on unchanged. Default: those of the trace, if there is one, \
      or of --firmware; for an avr:FILE without it, those of the sketch that it behaves as, or none.
      """, valueName: "file|none"), completion: .file())
  var profile: String?

  /// Reads the profile; nil if none is named.
  func read() throws(Failure) -> ProfileChoice? {
    try profile.map { (text) throws(Failure) in try ProfileChoice(text) }
  }

  /// Chooses the commands that a gateway passes on: those of the profile or, without one, of the
  /// session's sketch. If that is a program whose commands are not described, they are those of the
  /// sketch of the bench that it behaves as.
  func apply(
    _ choice: ProfileChoice?, of sketch: SessionSketch, to settings: inout ArbiterSettings,
    _ source: any DeviceSource, log: Logger
  ) throws(Failure) {
    guard let choice = settings.isRaw ? choice : sketch.accepted(choice, on: source) else {
      return
    }
    try choice.apply(to: &settings)
    guard choice == .bytes else { return }
    let why =
      profile == nil
      ? "The program does not behave as a sketch of the bench" : "The profile is none"
    log.notice(
      "\(why), so bytes are passed on unchanged; --profile FILE describes its commands.")
  }
}
