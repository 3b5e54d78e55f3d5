import Turret

/// The servo events of an endless sweep, in order: the firmware's own sweep from a given angle.
struct SweepPlan: Sequence, IteratorProtocol {
  private let timing: Timing
  private let range: ClosedRange<UInt8>
  private var scan: ScanPosition
  private var due: Instant
  private var state: ServoState

  /// Creates a sweep whose `L` is taken at `begin`, with the servo at `state`.
  init(
    _ timing: Timing, in range: ClosedRange<UInt8>, from state: ServoState, begin: Instant
  ) {
    self.timing = timing
    self.range = range
    self.state = state
    scan = ScanPosition(from: state.degrees, in: range)
    due = begin + timing.angleRead + timing.stepWrite
  }

  mutating func next() -> (time: Instant, state: ServoState)? {
    // The ends are written twice, so at most two steps change nothing.
    while true {
      let time = due
      let written = ServoState(writing: UInt16(scan.next))
      due += scan.advance(in: range) ? timing.step + timing.bottomTurn : timing.step
      if written.pulse != state.pulse {
        state = written
        return (time, written)
      }
    }
  }
}
