import Bench
import SystemPackage
import Turret

/// What a live bench waits for between two turns.
struct LiveNeeds {
  /// How long at most; nil: for as long as it takes.
  var timeout: Interval?
  /// Any of these becomes readable.
  var descriptors: [FileDescriptor]
  /// The board's port becomes readable; nil: there is none.
  var board: FileDescriptor?
  /// The board's port takes bytes; nil: there are none for it.
  var room: FileDescriptor?
  /// When the device has something to do, to the nanosecond; `timeout` ends a little earlier.
  var due: Instant?
}
