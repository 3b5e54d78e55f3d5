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
  /// When the device has something to do, to the nanosecond; `timeout` ends a little earlier.
  var due: Instant?
}
