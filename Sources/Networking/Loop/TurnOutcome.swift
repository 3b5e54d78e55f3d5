/// The result of a turn of the bench.
package enum TurnOutcome<Ending> {
  /// The session continues; this is what to wait for.
  case wait(TurnPlan)
  /// It was the last turn.
  case over(Ending)
}

extension TurnOutcome: Sendable where Ending: Sendable {}
