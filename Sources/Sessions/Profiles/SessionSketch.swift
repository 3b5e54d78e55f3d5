package import Devices
package import Traces
package import Turret
import Verification

/// The sketch of a session: one of the bench's own, or another.
package struct SessionSketch: Hashable, Sendable {
  /// The sketch of the bench; for another sketch, how a board that runs it is opened.
  package var firmware: Firmware
  /// What is known of another sketch; nil for one of the bench. Without commands, only its name is
  /// known, and its bytes are not interpreted.
  package var profile: Profile?

  /// The name of the sketch on a board of which nothing is known.
  private static let unnamed = "unknown"

  package init(_ firmware: Firmware, _ profile: Profile? = nil) {
    self.firmware = firmware
    self.profile = profile
  }

  /// Determines the sketch from what states it, in this order: `choice`, which is what `--profile`
  /// or a scenario states; `firmware`, from `--firmware` or a scenario; the program on the device;
  /// and guarded if nothing does.
  package init(
    on source: some DeviceSource, firmware: Firmware?, profile choice: ProfileChoice?
  ) {
    self.init(source, firmware, choice, header: nil, traced: nil)
  }

  /// Determines the sketch of a session that is judged by a trace. The profile in the trace counts
  /// as one that the command line states, if that states none. The sketch in the trace counts for a
  /// device whose program is not known, and names a program that is not one of the bench's.
  /// `path` is the trace's, for messages.
  package init(
    on source: some DeviceSource, firmware: Firmware?, profile choice: ProfileChoice?,
    judgedBy header: Header?, in path: String
  ) throws(TraceError) {
    let traced = choice == nil ? try header?.ownProfile(in: path) : nil
    self.init(source, firmware, choice, header: header, traced: traced)
  }

  private init(
    _ source: some DeviceSource, _ firmware: Firmware?, _ choice: ProfileChoice?,
    header: Header?, traced: Profile?
  ) {
    let traceFirmware = header?.firmware ?? .guarded
    switch choice {
    case .own(let profile)?: self.init(firmware ?? .guarded, profile)
    case .ours(let ours)?: self.init(firmware ?? ours)
    case .bytes?, nil:
      if let traced {
        self.init(firmware ?? traceFirmware, traced)
      } else if let firmware {
        self.init(firmware)
      } else {
        switch source.programSketch {
        case .ours(let ours)?: self.init(ours)
        case .other(let name)?:
          self.init(.guarded, Profile(undescribed: header?.otherFirmware ?? name))
        case nil where choice == .bytes && source.runsAnyProgram:
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
