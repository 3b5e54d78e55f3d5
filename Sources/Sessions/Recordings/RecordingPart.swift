import Turret

/// A part after a session's first: how it begins, and how the part before it ends.
struct RecordingPart: Hashable {
  /// The part's number, from 1 for the first.
  var number: Int
  /// The session's instant at which the part's times begin, in whole microseconds.
  var origin: Instant
  /// The number of events lost since the last part without loss.
  var missing: Int
  /// The sender's speed in bits a second; nil if it is the board's.
  var senderBaud: Int?
  /// The sender's format.
  var senderFormat = LineFormat.standard
  /// What is applied to the board's pins when it begins.
  var inputs: [BoardInput] = []
  /// When the part before it ends, in that part's times; nil if it cannot be written.
  var end: Instant?
  /// Whether the file of the part before it has been moved or deleted.
  var isAstray: Bool
}
