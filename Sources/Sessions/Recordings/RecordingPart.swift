import Turret

/// A part after a session's first: what it begins with, and how the part before it ends.
struct RecordingPart: Hashable {
  /// From 1, the first.
  var number: Int
  /// The instant of the session that is 0 in it, in whole microseconds.
  var origin: Instant
  /// Events that are in no part, since the last part that has all.
  var missing: Int
  /// The sender's speed where it is not the board's, bits a second.
  var senderBaud: Int?
  /// When the part before it ends, in that part's times; nil: it takes no more.
  var end: Instant?
  /// Whether the file of the part before it has been moved or deleted.
  var isAstray: Bool
}
