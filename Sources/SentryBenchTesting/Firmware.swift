import Turret

/// The sketch that runs on the turret's board.
public enum Firmware: String, Sendable, CaseIterable {
  /// Reads its port with `Serial.parseInt`, which waits for the end of a number.
  case classic
  /// Like `classic`, with a buzzer.
  case buzzer
  /// Reads one byte at a time, and drops a command that is broken off.
  case guarded
}
