import Turret

/// A servo action in a trace, timed from its cause.
enum TracedServo: Sendable {
  case write(Write)
  case sweep(Sweep)

  /// A single write of the servo.
  struct Write: Hashable {
    enum Standing: Hashable {
      /// The trace has an event for the write.
      case shown
      /// An aim at the servo's current angle. The trace has no event for it, but a session whose
      /// sweep ended at another angle does.
      case silent
      /// The trace ends too early to show it.
      case unshown
    }

    var cause: Cause
    /// From the cause to the event.
    var offset: Interval
    var state: ServoState
    var standing: Standing
    var line: Int
  }

  /// A sweep as the trace shows it.
  struct Sweep: Hashable {
    struct Step: Hashable {
      /// From taking the `L`.
      var offset: Interval
      var state: ServoState
      var line: Int
    }

    /// The `L`, counted from 0.
    var cause: Int
    /// The servo's state when the sweep began; nil before the first write.
    var from: ServoState?
    var steps: [Step]
    /// Whether it ended before the byte or reset that should end it, so that at most `steps` are
    /// expected in any session.
    var endsByItself = false
    var line: Int
  }

  var cause: Cause {
    switch self {
    case .write(let write): write.cause
    case .sweep(let sweep): .byte(sweep.cause)
    }
  }
}
