/// The headings under which the help lists options. All are defined here, so that an option has the
/// same heading in each command. Options without one are listed last.
enum HelpGroup {
  static let session = "Session"
  static let port = "Port"
  static let device = "Device"
  static let chip = "Emulated chip"
  static let network = "Network"
  static let access = "Network access"
  static let limits = "Network limits"
  static let aiming = "Aiming"
  static let scenarios = "Scenarios"
  static let recording = "Reading recordings"
  static let worlds = "Uncertain times"
  static let judging = "Judging"
  static let output = "Output"

  /// The groups that a summary first reduces to the names of their options, in this order.
  static let rare = [chip, limits, access, worlds, recording, network]
}
