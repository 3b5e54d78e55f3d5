/// One complete command of the wire grammar.
package enum Command: Hashable, Sendable {
  /// Aims the servo: `X90.`, with 0...180 degrees.
  case aim(UInt8)
  /// Reports that the target is lost, so that the turret sweeps: `L`.
  case lost
  /// The letter of a tone: `T`, `O` or `C`.
  case tone(UInt8)
  /// Requests the state or the telemetry of guarded: `?` or `V`.
  case query(UInt8)
  /// A command of a profile that is not one of the bench's own.
  case own(OwnCommand)

  /// Whether it determines what the turret does from now on. The effect of other commands is
  /// temporary.
  package var isLasting: Bool {
    switch self {
    case .aim, .lost: true
    case .tone, .query: false
    case .own(let command): command.isLasting
    }
  }

  /// Whether this command has no effect once a newer one is sent, because both determine the same
  /// thing.
  package func isSuperseded(by newer: Command) -> Bool {
    switch (self, newer) {
    case (.own(let own), .own(let newer)): own.form == newer.form
    default: true
    }
  }

  /// How long nothing can follow it on the cable, because a pause ends it; nil if anything can.
  package var pause: Interval? {
    if case .own(let command) = self { command.pause } else { nil }
  }

  package var bytes: [UInt8] {
    switch self {
    case .aim(let degrees): Array("X\(degrees).".utf8)
    case .lost: [UInt8(ascii: "L")]
    case .tone(let letter), .query(let letter): [letter]
    case .own(let command): command.bytes
    }
  }
}

extension Command {
  /// The command with this letter, if the firmware supports it.
  package init?(letter: UInt8, in firmware: Firmware) {
    switch firmware.sketch.letter(letter) {
    case .scan: self = .lost
    case .tone: self = .tone(letter)
    case .status, .telemetry: self = .query(letter)
    case nil: return nil
    }
  }
}

/// A command of a profile that is not one of the bench's own.
package struct OwnCommand: Hashable, Sendable {
  package var bytes: [UInt8]
  /// Its form in the profile, counted from 0.
  package var form: Int
  /// Whether a newer command of its form can replace it. If not, it is refused when it is late.
  package var isReplaceable: Bool
  /// Whether it determines what the turret does from now on.
  package var isLasting: Bool
  /// How long nothing can follow it, because a pause ends it; nil if anything can.
  package var pause: Interval?

  /// A command of a form, counted from 0, that the profile has.
  package init(_ bytes: [UInt8], form: Int, of profile: Profile) {
    self.bytes = bytes
    self.form = form
    isReplaceable = profile.commands[form].isReplaceable
    pause = profile.commands[form].pause
    isLasting =
      isReplaceable || bytes == profile.hold || bytes == profile.scan || bytes == profile.centre
  }
}

extension Command {
  /// One whole command of a profile; nil if the bytes are anything else.
  package init?(_ bytes: [UInt8], of profile: Profile) {
    guard let form = profile.form(of: bytes) else { return nil }
    self = .own(OwnCommand(bytes, form: form, of: profile))
  }
}
