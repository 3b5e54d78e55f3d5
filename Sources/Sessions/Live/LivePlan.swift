import Devices
import Turret

/// What a live session is to be.
struct LivePlan {
  /// What the command finds in its environment: where the bench can be reached.
  var environment: [(name: String, value: String)]
  /// The board's speed, bits a second.
  var baud: Int
  /// How long the bootloader owns the line when a sender opens the port; nil: opening resets
  /// nothing.
  var resetOnOpen: Interval?
  /// Where the session ends by itself.
  var end: Instant?
  /// The command that is run against the bench; empty: none.
  var command: [String]
  /// Whether it is told who opens and closes the port.
  var isVerbose = false
  /// Why the session cannot go back in time, a sentence; nil: it can.
  var refusalToGoBack: String?
  /// Says something to people.
  var say: (String) -> Void = { Console.remark($0) }
}
