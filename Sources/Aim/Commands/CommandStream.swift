package import Sketches

/// What is sent to the turret after each frame, and when: its commands at their pace, and shots.
/// The caller passes the time, which never decreases.
package struct CommandStream: Hashable, Sendable {
  package typealias Pace = CommandPace<TurretCommand>

  private var pace: Pace
  private var trigger: Trigger?

  /// `rate` is in commands a second; nil for no limit but the pause that ends a command.
  package init(_ options: AimOptions, rate: Double?) {
    let most = options.command.pause.map { 1 / $0.seconds }
    pace = Pace(rate: [rate, most].compactMap { $0 }.min())
    trigger = Trigger(options)
  }

  /// When the waiting command is due; nil if none waits.
  package var due: Instant? { pace.due }

  /// Takes what the turret must do from now on, and where the target is. Returns what is sent at
  /// once. A shot is sent before a command that waits, which would make the turret move. If it is
  /// too early for a shot, the next frame decides again.
  package mutating func take(
    _ command: TurretCommand, _ place: TargetPlace?, at time: Instant
  ) -> [Pace.Sent] {
    var sent: [Pace.Sent] = []
    if trigger?.isReady(place, at: time.seconds) == true, pace.pass(at: time),
      let shot = trigger?.fire(at: time.seconds)
    {
      sent.append(Pace.Sent(time: time, command: shot))
    }
    // A sketch without a command for a lost target gets none.
    if !command.bytes.isEmpty, let next = noted(pace.take(command, at: time)) { sent.append(next) }
    return sent
  }

  /// Returns the command that became due before `time`.
  package mutating func advance(to time: Instant) -> Pace.Sent? { noted(pace.advance(to: time)) }

  /// Returns the command that still waits at the end.
  package mutating func finish() -> Pace.Sent? { noted(pace.finish()) }

  /// Lets the trigger know where the turret turns.
  private mutating func noted(_ sent: Pace.Sent?) -> Pace.Sent? {
    if let sent { trigger?.take(sent.command, at: sent.time.seconds) }
    return sent
  }
}
