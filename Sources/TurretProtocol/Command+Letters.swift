package import Turret

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
