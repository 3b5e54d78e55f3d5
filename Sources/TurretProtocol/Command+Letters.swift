package import Turret

extension Command {
  /// The command with this letter, if the firmware supports it.
  package init?(letter: UInt8, in firmware: Firmware) {
    switch letter {
    case UInt8(ascii: "L"): self = .lost
    case UInt8(ascii: "T"), UInt8(ascii: "O"), UInt8(ascii: "C"):
      guard firmware != .classic else { return nil }
      self = .tone(letter)
    case UInt8(ascii: "?"), UInt8(ascii: "V"):
      guard firmware == .guarded else { return nil }
      self = .query(letter)
    default: return nil
    }
  }
}
