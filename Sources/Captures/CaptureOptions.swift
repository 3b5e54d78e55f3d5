package import Turret

/// What the user states about a recording that does not follow from its content.
package struct CaptureOptions: Hashable, Sendable {
  package enum Inversion: String, Hashable, Sendable, CaseIterable {
    case rx, tx, both
  }

  package enum Direction: String, Hashable, Sendable, CaseIterable {
    /// The directions as the format names them.
    case forward
    /// The two directions of a log are swapped.
    case reverse
  }

  /// Nil if it is to be recognized from the content.
  package var kind: CaptureKind?
  /// The board's sketch; nil for the one that its answers show, or else classic.
  package var firmware: Firmware?
  /// The board's speed, in bits a second.
  package var baud = 9_600
  /// The sender's speed; nil for the board's.
  package var senderBaud: Int?
  /// A channel's name, or its index from 0, or an analyser's name.
  package var rxChannel: String?
  package var txChannel: String?
  package var servoChannel: String?
  package var inversion: Inversion?
  /// Samples a second, for a table that has neither times nor a rate.
  package var sampleRate: Int64?
  package var direction: Direction?
  /// The port to convert if a recording has several: a file descriptor, `BUS:DEVICE` or a COM port.
  package var port: String?
  /// The offset of a log's local times from UTC, in seconds. Used only for `recorded`.
  package var timeZone: Int?
  /// Only what happened in this part of the recording is converted.
  package var since: Interval?
  package var until: Interval?
  /// Whether truncated data and missing times are accepted.
  package var isLossy = false
  /// Whether only the summary is needed. Ambiguous channels or ports are then not an error, and
  /// have no role.
  package var isListing = false

  package init() {}

  /// The sketch if nothing in the recording shows which it is.
  var assumedFirmware: Firmware { firmware ?? .classic }
}
