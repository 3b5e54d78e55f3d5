package import Devices
package import Sketches
import Traces

/// What is stated of the commands of a session's sketch.
package enum ProfileChoice: Hashable, Sendable {
  /// A sketch of the bench.
  case ours(Firmware)
  /// A user's profile.
  case own(Profile)
  /// Bytes that are not interpreted.
  case bytes

  /// The profile; nil if bytes are not interpreted.
  package var profile: Profile? {
    switch self {
    case .ours(let firmware): Profile(firmware)
    case .own(let profile): profile
    case .bytes: nil
    }
  }

  /// The bench's sketch; nil for any other.
  package var firmware: Firmware? { if case .ours(let firmware) = self { firmware } else { nil } }

  /// The user's profile; nil for one of the bench.
  package var ownProfile: Profile? { if case .own(let profile) = self { profile } else { nil } }
}

/// The sketch of a session: one of the bench's own, or another.
package struct SessionSketch: Hashable, Sendable {
  /// The sketch of the bench; for another sketch, how a board that runs it is opened.
  package var firmware: Firmware
  /// What is known of another sketch; nil for one of the bench. Without commands, only its name is
  /// known, and its bytes are not interpreted.
  package var profile: Profile?

  /// Its name: the profile's, or that of the firmware.
  package var name: String { profile?.name ?? firmware.rawValue }

  /// The name of the sketch on a board of which nothing is known.
  private static let unnamed = "unknown"

  package init(_ firmware: Firmware, _ profile: Profile? = nil) {
    self.firmware = firmware
    self.profile = profile
  }

  /// Determines the sketch from what states it, in this order: the profile, which is what
  /// `--profile` or a scenario states; the firmware, from `--firmware` or a scenario; the program
  /// on the device; and guarded if nothing does. The profile in the trace that judges the session
  /// counts as one that is stated, if none is. The sketch in that trace counts for a device whose
  /// program is not known, and names a program that is not one of the bench's.
  package init(_ stated: StatedSession, on source: some DeviceSource) {
    let firmware = stated.firmware
    let traceFirmware = stated.judge?.firmware ?? .guarded
    switch stated.profile {
    case .own(let profile)?: self.init(firmware ?? .guarded, profile)
    case .ours(let ours)?: self.init(firmware ?? ours)
    case .bytes?, nil:
      if stated.profile == nil, let traced = stated.tracedProfile {
        self.init(firmware ?? traceFirmware, traced)
      } else if let firmware {
        self.init(firmware)
      } else {
        switch source.programSketch {
        case .ours(let ours)?: self.init(ours)
        case .other(let name)?:
          self.init(.guarded, Profile(undescribed: stated.judge?.otherFirmware ?? name))
        case nil where stated.profile == .bytes && source.runsAnyProgram:
          self.init(traceFirmware, Profile(undescribed: Self.unnamed))
        case nil: self.init(traceFirmware)
        }
      }
    }
  }

  /// Returns the commands that a network's clients can send: those of `choice` or, without one, of
  /// the sketch; nil for those of the firmware. If the sketch is a program whose commands are not
  /// described, they are those of the sketch of the bench that it behaves as, or any bytes.
  package func accepted(_ choice: ProfileChoice?, on source: some DeviceSource) -> ProfileChoice? {
    if let choice { return choice }
    guard let profile else { return nil }
    if profile.hasCommands { return .own(profile) }
    return Calibration.firmware(of: source).map { .ours($0) } ?? .bytes
  }
}
