package import Turret

/// What a user says about a recording beyond what it says itself.
package struct CaptureOptions: Hashable, Sendable {
  package enum Inversion: String, Hashable, Sendable, CaseIterable {
    case rx, tx, both
  }

  package enum Direction: String, Hashable, Sendable, CaseIterable {
    /// As the format's own words say.
    case forward
    /// The two directions of a log are swapped.
    case reverse
  }

  /// Nil: recognized by the content.
  package var kind: CaptureKind?
  package var firmware = Firmware.classic
  /// The board's speed, in bits a second.
  package var baud = 9_600
  /// The sender's speed; nil for the board's.
  package var senderBaud: Int?
  /// A channel's name, or its index from 0, or an analyser's name.
  package var rxChannel: String?
  package var txChannel: String?
  package var servoChannel: String?
  package var inversion: Inversion?
  package var direction: Direction?
  /// A file descriptor, `BUS:DEVICE` or a COM port: which of several ports in one recording.
  package var port: String?
  /// The offset from UTC in which a log's local times are meant, in seconds, for `recorded` only.
  package var timeZone: Int?
  /// Only what happened in this part of the recording is converted.
  package var since: Interval?
  package var until: Interval?
  /// Accept cut data and missing times.
  package var isLossy = false
  /// Only the summary is of interest: channels or ports that leave a choice are no error, and have
  /// no role.
  package var isListing = false

  package init() {}
}
