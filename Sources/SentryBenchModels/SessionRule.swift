package import Judging
import Sketches

/// A rule about a session as a whole. It is checked when it is stated, and from then on until the
/// end.
public struct SessionRule: Sendable {
  /// Throws `TurretError` if there is no such rule.
  package let requirement: @Sendable () throws -> Requirement

  package init(_ requirement: @escaping @Sendable () throws -> Requirement) {
    self.requirement = requirement
  }

  /// None of these happens until the end. At least one byte must be sent.
  public static func never(_ mishaps: Mishap...) -> SessionRule { never(mishaps) }

  package static func never(_ mishaps: [Mishap]) -> SessionRule {
    SessionRule { .never(try judged(mishaps)) }
  }

  /// None of these happens until the end, except up to a second after a fault of the session.
  public static func neverUnlessFault(_ mishaps: Mishap...) -> SessionRule {
    SessionRule { .faults(.neverUnless(try judged(mishaps))) }
  }

  private static func judged(_ mishaps: [Mishap]) throws(TurretError) -> [Judging.Mishap] {
    guard !mishaps.isEmpty else { throw TurretError("expected at least one mishap") }
    return mishaps.compactMap { .init(rawValue: $0.rawValue) }
  }

  /// The first whole command after the session's last fault is obeyed in this time.
  public static func recovers(within limit: Duration) -> SessionRule {
    SessionRule { .faults(.recovers(within: try Interval(positive: limit))) }
  }

  /// The pin never does this: always, or while the sketch does something. `output` is `.pin`,
  /// `.pinPulse` or `.duty`.
  public static func never(_ output: Output, while activity: SketchActivity? = nil) -> SessionRule {
    SessionRule {
      guard case .pin(let pin) = try output.checked() else {
        throw TurretError("expected a pin, for example .never(.pin(\"D7\", 1))")
      }
      return .neverPin(pin, while: activity.flatMap { KnownActivity(rawValue: $0.rawValue) })
    }
  }

  /// The pin shows this number of pulses in the whole session, each as `output`, a `.pinPulse`,
  /// states.
  public static func count(_ output: Output, _ counts: ClosedRange<Int>) -> SessionRule {
    SessionRule {
      let target = try output.checked()
      guard case .pin(let pin) = target, case .pulse = pin.condition else {
        throw TurretError("expected pulses, for example .count(.pinPulse(\"D7\"), 1...3)")
      }
      var reach = Reach(target)
      reach.count = try count(counts)
      return .reaches(reach)
    }
  }

  /// The pin shows this number of pulses in the whole session.
  public static func count(_ output: Output, _ number: Int) -> SessionRule {
    count(output, number...max(number, number))
  }

  /// Every commanded angle is in this range, in degrees. `name` is a servo's pin or its name in the
  /// profile; nil for the session's own servo.
  public static func angles(_ degrees: ClosedRange<Int>, on name: String? = nil) -> SessionRule {
    SessionRule { .angles(try angle(degrees), name: name) }
  }

  /// Every pulse on a servo's pin differs from what the sketch stored by less than this many
  /// microseconds, from 20 on.
  public static func twitch(below microseconds: Double) -> SessionRule {
    SessionRule {
      guard microseconds >= Double(Twitch.bound) else {
        throw TurretError("expected microseconds from \(Twitch.bound) on, found \(microseconds)")
      }
      return .twitch(below: microseconds)
    }
  }

  /// No stretch with interrupts off, and no interrupt, takes this long, from the first time that
  /// the program has them on. This rule and `loop(atMost:)` require the emulated chip in virtual
  /// time, and are stated before time passes.
  public static func interruptsOff(below limit: Duration) -> SessionRule {
    SessionRule { .longest(.interruptsOff, try Interval(positive: limit)) }
  }

  /// No turn of the sketch's `loop` takes longer. The program's file must show where `loop` is.
  public static func loop(atMost limit: Duration) -> SessionRule {
    SessionRule { .longest(.loop, try Interval(positive: limit)) }
  }

  /// The program makes no mistake with its memory. It requires what `loop(atMost:)` does.
  public static var soundMemory: SessionRule { SessionRule { .memory } }

  /// Two pulses in a row on a servo's pin differ by less than this many degrees. The session must
  /// show pulses.
  public static func jump(below degrees: Double) -> SessionRule {
    SessionRule {
      guard degrees > 0, degrees <= 180 else {
        throw TurretError("expected degrees from above 0 to 180, found \(degrees)")
      }
      return .motion(.jump(below: degrees))
    }
  }

  /// No servo gets another angle without a command. What follows a command, or a move that it
  /// caused, within 2 s is its effect.
  public static var movesOnlyWhenCommanded: SessionRule { SessionRule { .motion(.commanded) } }

  /// The session ends with at least this long without a byte or an output.
  public static func quiet(_ length: Duration) -> SessionRule {
    SessionRule { .quiet(try Interval(positive: length)) }
  }

  /// The sender begins at most `count` commands in any period of this length.
  public static func rate(_ count: Int, per time: Duration) -> SessionRule {
    SessionRule {
      .rate(count: try self.count(count...count).lowerBound, per: try Interval(positive: time))
    }
  }

  /// At least this much time passes from the beginning of one command to that of the next.
  public static func gap(_ length: Duration) -> SessionRule {
    SessionRule { .gap(try Interval(positive: length)) }
  }

  /// The sender sends this many commands.
  public static func commands(_ count: Int) -> SessionRule { commands(count...count) }

  /// The sender sends a number of commands in this range.
  public static func commands(_ counts: ClosedRange<Int>) -> SessionRule {
    SessionRule { .commands(try count(counts)) }
  }

  /// The state at the end: the commanded angle in degrees, whether the turret sweeps, and the
  /// levels of pins, 0 or 1. An argument that is nil is not required.
  public static func ends(
    servo degrees: Int? = nil, on name: String? = nil, sweeping: Bool? = nil,
    pins levels: [String: Int] = [:]
  ) -> SessionRule {
    SessionRule {
      guard degrees != nil || sweeping != nil || !levels.isEmpty else {
        throw TurretError("expected an angle, whether the turret sweeps, or the level of a pin")
      }
      guard levels.values.allSatisfy({ (0...1).contains($0) }) else {
        throw TurretError("expected levels of 0 or 1")
      }
      let pins = levels.sorted { $0.key < $1.key }.map {
        PinTarget($0.key, .level(isHigh: $0.value == 1))
      }
      let servos = try degrees.map { [FinalState.Servo(name, at: try angle($0...$0))] } ?? []
      return .ends(FinalState(servos: servos, pins: pins, isSweeping: sweeping))
    }
  }

  private static func angle(
    _ degrees: ClosedRange<Int>
  ) throws(TurretError) -> ClosedRange<Int> {
    guard degrees.lowerBound >= 0, degrees.upperBound <= 180 else {
      throw TurretError("expected angles from 0 to 180 degrees, found \(degrees)")
    }
    return degrees
  }

  private static func count(_ counts: ClosedRange<Int>) throws(TurretError) -> ClosedRange<Int> {
    guard counts.lowerBound >= 0, counts.upperBound <= Requirement.countMax else {
      throw TurretError("expected a count from 0 to \(Requirement.countMax), found \(counts)")
    }
    return counts
  }
}

/// Something that should not happen to what a sender sends.
public enum Mishap: String, Sendable, CaseIterable {
  /// A byte never reached the sketch, or was still waiting at the end.
  case lost
  /// A byte is unknown to the sketch, or was discarded together with an unknown one.
  case junk
  /// A byte ended a number and was lost with it.
  case swallowed
  /// A number was not used: it was refused, timed out, or was broken off.
  case abandoned
  /// The bench refused a message that arrived over the network.
  case refused
  /// A byte was sent at another speed than the board's.
  case wrongSpeed = "wrong-speed"
  /// The answer that the profile states for a command did not follow, or one that it does not
  /// state.
  case unanswered
  /// The board restarted.
  case reset
  /// A pulse on a servo's pin was not as the sketch had stored.
  case twitch
}

/// What a sketch of the bench can be doing for some time.
public enum SketchActivity: String, Sendable, CaseIterable {
  case startingUp = "starting-up"
  case idle
  /// It reads a number.
  case reading
  /// It discards the waiting bytes.
  case purging
  case scanning
  /// It sounds a tone.
  case sounding
}

extension Requirement {
  /// Throws `TurretError` if such an output, time or command is not possible.
  package static func reaching(
    _ output: Output, within: Duration?, of command: String?, before: Duration?
  ) throws(TurretError) -> Requirement {
    var reach = Reach(try output.checked())
    if let within { reach.within = try Interval(within) }
    if let before { reach.before = try Instant(before) }
    if let command {
      guard let pattern = TextPattern(command) else {
        throw TurretError("expected a command of bytes, U+0000 to U+00FF")
      }
      reach.command = pattern
    }
    return .reaches(reach)
  }

  /// Throws `TurretError` if there are no outputs, or one that is not possible here.
  package static func exactly(_ outputs: [Output]) throws(TurretError) -> Requirement {
    guard !outputs.isEmpty else { throw TurretError("expected at least one output") }
    var targets: [Target] = []
    for output in outputs {
      let target = try output.checked()
      if case .shaft = target {
        throw TurretError("a shaft moves all the time, so it cannot be in \"exactly\"")
      }
      if case .pin(let pin) = target, !pin.isLevel {
        throw TurretError("only the level of a pin can be in \"exactly\"")
      }
      targets.append(target)
    }
    return .exactly(targets)
  }
}
