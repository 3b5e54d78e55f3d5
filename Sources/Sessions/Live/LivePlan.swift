import Devices
import Turret

/// The configuration of a live session.
struct LivePlan {
  /// The command's environment: the addresses of the bench.
  var environment: [(name: String, value: String)]
  /// The board's speed in bits a second.
  var baud: Int
  /// What is applied to the pins at time 0. The view's keys change the levels.
  var inputs: [BoardInput] = []
  /// The FIFO from which levels and voltages are read; nil for none.
  var inputPath: String?
  /// How long the bootloader owns the line when a sender opens the port; nil if opening does not
  /// reset the board.
  var resetOnOpen: Interval?
  /// How long the bootloader owns the line when a client of the port over TCP sets DTR; nil if that
  /// does not reset the board.
  var resetOnDTR: Interval?
  /// When the session ends without any other cause.
  var end: Instant?
  /// The command that is run against the bench; empty if there is none.
  var command: [String]
  /// How long the command can take; nil for no limit.
  var commandLimit: Interval?
  /// Whether the end of the command's standard error is kept for the report.
  var keepsErrors = false
  /// Whether opening and closing the port is reported.
  var isVerbose = false
  /// Whether the session handles signals to the process.
  var handlesSignals = true
  /// Whether a device in virtual time starts up at once, not in real time.
  var skipsStartUp = false
  /// Why the session cannot be rewound, as a sentence; nil if it can.
  var refusalToGoBack: String?
  /// The pty's link; nil without a pty.
  var port: LivePort?
  /// Where lines are reported to the user.
  var notices = SessionNotices.terminal
}
