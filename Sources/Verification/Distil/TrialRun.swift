import Devices
import Traces
import Turret

/// A session in virtual time on two models: the session's own sketch, and the sketch that does what
/// should have been done.
struct TrialRun {
  /// Both sides advance by this much at a time, so that few writes wait to be compared.
  private static let slice = Interval.seconds(1)

  /// The bytes and their fates on the session's own sketch.
  let entries: [Ledger.Entry]
  /// The commands that the sketch took differently from what was meant.
  let misunderstandings: [Misunderstanding]
  /// Where the two angles first differ for long; nil if they do not.
  let parting: AngleParting?

  init(_ inputs: SessionInputs, wanted: Firmware) {
    func model(_ firmware: Firmware) -> Model {
      Model(firmware, baud: inputs.baud, isRunning: inputs.isRunning, showsPulses: false)
    }
    var own = Simulation(model(inputs.firmware), ledger: Ledger())
    var other = Simulation(model(wanted))
    let startUp = max(
      inputs.firmware.sketch.timing.startUp, wanted.sketch.timing.startUp)
    var comparison = AngleComparison(
      startingAt: inputs.isRunning ? .zero : Instant.zero + startUp)

    func advance(to end: Instant) {
      while true {
        let next = min(end, own.now + Self.slice)
        comparison.take(
          own: Self.writes(of: &own, to: next), wanted: Self.writes(of: &other, to: next), to: next)
        if next == end { return }
      }
    }
    for event in inputs.events {
      advance(to: event.time)
      own.feed(event)
      other.feed(event)
      if case .reset(let deadTime) = event.kind {
        comparison.restart(until: event.time + deadTime + startUp)
      }
    }
    advance(to: max(inputs.end, own.now))
    parting = comparison.parting
    entries = own.finishLedger().entries
    misunderstandings = Misunderstanding.find(in: entries, firmware: inputs.firmware)
  }

  private static func writes(
    of simulation: inout Simulation<Model>, to end: Instant
  ) -> [TimedOutput] {
    var writes: [TimedOutput] = []
    while simulation.step(to: end) {
      writes += simulation.outputs.filter { $0.output.kind == .servo }
    }
    return writes
  }

  /// What went wrong, in order of time.
  var troubles: [SessionTrouble] {
    var troubles = misunderstandings.map {
      SessionTrouble(time: $0.time, text: $0.text, cause: .command($0.pattern))
    }
    if let parting {
      let index = troubles.firstIndex { $0.time > parting.time } ?? troubles.endIndex
      troubles.insert(SessionTrouble(parting), at: index)
    }
    return troubles
  }

  /// Returns the trouble with the same cause; nil if it did not happen here.
  func trouble(_ cause: SessionTrouble.Cause) -> SessionTrouble? {
    troubles.first { $0.cause == cause }
  }
}
