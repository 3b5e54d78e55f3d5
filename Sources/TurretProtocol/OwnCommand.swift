package import Turret

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
