package import Devices
package import Engine
package import Network
package import Platform
package import Serial
package import Sketches

/// The settings of a live session: how it is reached, what is run against it, what is written, and
/// when it ends.
package struct LivePlan {
  package let source: any DeviceSource
  package var session: SessionPlan
  package var verbosity = Verbosity.normal

  // MARK: How it is reached

  /// Whether there is a pty, and the path of its link. A nil path is the default one or, with a
  /// command, one of the session's own.
  package var hasPty = true
  package var link: String?
  /// How long the bootloader owns the line when a sender opens the pty; nil if opening does not
  /// reset the board.
  package var resetOnOpen: Interval?
  /// Opens the link over which a sender can also reach the line, for a board whose port runs at
  /// `baud` bits a second; nil for none.
  package var openLink: (@Sendable (_ baud: Int) throws(Failure) -> any SenderLink)?
  /// How long the bootloader owns the line when a client there sets DTR; nil if that does not reset
  /// the board.
  package var resetOnDTR: Interval?
  /// The network that the session serves; nil for none.
  package var network: NetworkPlan?
  /// The path of the socket for a client's requests; `-` for standard input and output, nil for
  /// none.
  package var api: String?
  /// The scene that the session's camera sees; nil for none. With one, there is a network.
  package var rig: LiveRigPlan?
  /// The FIFO from which levels and voltages for the board's pins are read; nil for none.
  package var inputPath: String?

  // MARK: The command

  /// The command that is run against the bench; empty for none.
  package var command: [String] = []
  /// How long the command can take; nil for no limit.
  package var commandLimit: Interval?
  /// Whether the end of the command's standard error is kept for the report, and a command that
  /// fails is reported in words.
  package var reportsSender = false

  // MARK: Its life

  /// When the session ends without any other cause.
  package var end: Instant?
  /// Whether the session waits for a board that was unplugged.
  package var rejoins = false
  /// Whether the session also waits for a board that is missing at the start.
  package var awaitsBoard = false
  /// Whether a device in virtual time starts up at once, before the session's clock starts.
  package var skipsStartUp = false

  // MARK: What is written and judged

  /// The file that the session is recorded to; nil for none.
  package var recording: String?
  /// Whether the recording of a command that failed replaces an earlier recording.
  package var keepsFailedRecording = false
  /// The limits of the recording's size; nil for one file, which is overwritten.
  package var rotation: RotationPolicy?
  /// Whether the trace is written to standard output if there is no view.
  package var showsTrace = true
  /// Whether a view is allowed.
  package var mayShowView = true
  /// Whether the outcome includes the session as a trace.
  package var keepsTrace = false
  package var log: BenchLog?
  /// The rules by which the session is judged; nil for none.
  package var rules: RuleFile?

  package init(source: any DeviceSource, session: SessionPlan) {
    self.source = source
    self.session = session
  }

  var isVerbose: Bool { verbosity == .verbose }

  /// Returns why the session cannot be rewound, as a sentence; nil if it can. What was written or
  /// judged is final, and a real board cannot return to an earlier state. `isCompared`: whether a
  /// trace judges it.
  func refusalToGoBack(on capabilities: DeviceCapabilities, isCompared: Bool) -> String? {
    if !capabilities.canRewind {
      return "Rewinding is unavailable: the state of a board cannot be restored."
    }
    if recording != nil { return "Rewinding is unavailable with --record: a recording is final." }
    if rig != nil { return "Rewinding is unavailable with --rig: its pictures have been seen." }
    if keepsTrace { return "Rewinding is unavailable with --report: a report is final." }
    if api != nil {
      return "Rewinding is unavailable with --api: its client has seen the session."
    }
    if isCompared { return "Rewinding is unavailable with --expect: a verdict is final." }
    if rules != nil { return "Rewinding is unavailable with rules: a verdict is final." }
    return nil
  }
}
