import Turret

/// Something that a trace has the servo do, taken off the trace's own clock.
enum TracedServo: Sendable {
  case write(Write)
  case sweep(Sweep)

  /// A single write of the servo.
  struct Write: Hashable {
    enum Standing: Hashable {
      /// The trace has an event for it.
      case shown
      /// An aim at where the servo already stood: there is no event for it in the trace, but there
      /// is one in a session whose sweep ended elsewhere.
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
      /// From when the `L` was taken.
      var offset: Interval
      var state: ServoState
      var line: Int
    }

    /// The `L`, counted from 0.
    var cause: Int
    /// Where the servo stood when it began; nil before its first write.
    var from: ServoState?
    var steps: [Step]
    /// Whether it ended before what ends it, so that nowhere more than `steps` are to be expected.
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
