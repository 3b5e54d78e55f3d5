import Aim
import ArgumentParser
import Engine
import Sessions
import Sketches

/// Options for a sketch's own commands.
struct CommandOptionGroup: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The sketch's command to aim, with {pan} and perhaps {tilt} in degrees, for example \
      'P{pan},T{tilt}\\n'. In a range, {pan:-90..90}, 0 is straight ahead. Default: 'X{pan}.'.
      """, valueName: "command"), transform: ArgumentForm.template)
  var command: CommandTemplate?

  @Option(
    help: ArgumentHelp(
      """
      The sketch's command for a lost target. Default: L; with --command, nothing is sent; with \
      --profile, the command under sweep, if there is one.
      """, valueName: "command"), transform: ArgumentForm.command)
  var lost: [UInt8]?

  @Option(
    help: ArgumentHelp("The sketch's command to fire. Requires --fire-when.", valueName: "command"),
    transform: ArgumentForm.command)
  var fire: [UInt8]?

  @Option(
    help: ArgumentHelp(
      """
      When to fire, for example 'on target for 300ms': the turret has pointed at the target for \
      that long. Can add 'within 2°' (default 3), and 'every 1s' to fire again.
      """, valueName: "condition"), transform: ArgumentForm.condition)
  var fireWhen: FireCondition?

  @Option(
    help: ArgumentHelp(
      """
      A profile of the sketch's commands: a file, or the name of a sketch of the bench. Aims with \
      its command that has the number pan, and perhaps tilt.
      """, valueName: "file"), completion: .file())
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "The angles to which the turret turns at most, for example 10..170. Default: 0..180.",
      valueName: "low..high"), transform: ArgumentForm.limits)
  var pan: ClosedRange<Int>?

  @Option(
    help: ArgumentHelp("The same for tilting, for example 30..120.", valueName: "low..high"),
    transform: ArgumentForm.limits)
  var tilt: ClosedRange<Int>?

  @Flag(help: "Tilt the turret in the opposite direction.")
  var mirrorTilt = false

  func validate() throws {
    try UsageRule.check(
      UsageRule("--command", command, excludes: "--profile", profile),
      UsageRule("--fire", fire, requires: "--fire-when", fireWhen),
      UsageRule("--fire-when", fireWhen, requires: "--fire", fire))
  }

  /// Sets the options, and returns the profile that describes the commands; nil for those of
  /// guarded.
  func apply(to options: inout AimOptions) throws -> ProfileChoice? {
    let stated = try profile.map { (text) throws(Failure) in try ProfileChoice(text) }
    if let command {
      options.command = command
      options.lost = []
    }
    do throws(CommandTextError) {
      if let own = stated?.ownProfile { try options.adopt(own) }
    } catch {
      throw Failure.misuse("--profile \(profile ?? ""): \(error).")
    }
    options.lost = lost ?? options.lost
    if let fire, let fireWhen { options.fire = FireOptions(fire, when: fireWhen) }
    options.pan = pan ?? options.pan
    options.tilt = tilt ?? options.tilt
    options.mirrorTilt = mirrorTilt
    guard options.command.tilts || (tilt == nil && !mirrorTilt) else {
      throw Failure.misuse("--tilt and --mirror-tilt require a command with {tilt}.")
    }
    guard let stated else { return try own(options) }
    guard let profile = stated.profile else {
      throw Failure.misuse("aim requires a profile with commands, and --profile none states none.")
    }
    for (option, bytes) in [("--lost", lost), ("--fire", fire)] {
      guard let bytes, profile.form(of: bytes) == nil else { continue }
      throw Failure.misuse(
        "\(option) requires a command of the profile \(profile.name): \(profile.list).")
    }
    return stated
  }

  private func own(_ options: AimOptions) throws -> ProfileChoice? {
    do throws(CommandTextError) {
      return try options.ownProfile.map { .own($0) }
    } catch {
      throw Failure.misuse("--command, --lost and --fire: \(error).")
    }
  }
}

extension ArgumentForm {
  static func template(_ argument: String) throws -> CommandTemplate {
    try parse { () throws(CommandTextError) in try CommandTemplate(argument) }
  }

  /// A command without numbers.
  static func command(_ argument: String) throws -> [UInt8] {
    try parse { () throws(CommandTextError) in try CommandTemplate.bytes(of: argument) }
  }

  static func condition(_ argument: String) throws -> FireCondition {
    try parse { () throws(CommandTextError) in try FireCondition(argument) }
  }

  /// `LOW..HIGH`
  static func limits(_ argument: String) throws -> ClosedRange<Int> {
    let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].isEmpty, let low = Int(parts[0]), let high = Int(parts[2]),
      0 <= low, low <= high, high <= 180
    else {
      throw ValidationError("Limits are LOW..HIGH in degrees from 0 to 180, for example 10..170.")
    }
    return low...high
  }

  private static func parse<Value>(_ body: () throws(CommandTextError) -> Value) throws -> Value {
    do throws(CommandTextError) {
      return try body()
    } catch {
      throw ValidationError("\(error).")
    }
  }
}
