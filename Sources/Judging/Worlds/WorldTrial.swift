package import Devices
package import Sketches
import Traces

/// Replays worlds of a session, each on a copy of the same device.
package struct WorldTrial<D: Device>: Sendable {
  package let session: UncertainSession
  private let device: D
  private let sweeps: SessionSetup
  /// How early or late an output can be in a world.
  package let tolerance: Interval

  /// The device must be at the start of its session, and a copy of it must be a snapshot.
  /// `tolerance`: nil for the trace's. It is widened by the uncertainty, because the time of the
  /// byte that causes an output can be drawn that far from its true time. `timing`: the figures of
  /// another build, if the device uses them; nil for the measured ones.
  package init(
    _ session: UncertainSession, on device: D, firmware: Firmware, timing: Timing? = nil,
    tolerance: Interval?
  ) {
    self.session = session
    self.device = device
    let header = session.header
    sweeps = SessionSetup(
      firmware: firmware, timing: timing, baud: header.baud, start: header.start)
    let least = (header.resolution ?? .zero) + session.uncertainty
    self.tolerance = (tolerance ?? max(header.tolerance, least)) + session.uncertainty
  }

  /// Compares the outputs of a world with the recorded ones. Returns the verdict and the fates of
  /// the bytes.
  ///
  /// A sweep can have one step more or one fewer than the recorded one, as on a computer's clock,
  /// unless `isExact`, which compares as the verification of a trace on the board's clock does.
  /// Events after a divergence are counted only if `countsDifferences`.
  // Specialized as in `Verification`.
  @_specialize(where D == Model)
  package func judge(
    _ times: [Instant], isExact: Bool = false, countsDifferences: Bool = false
  ) -> (verdict: Verdict, ledger: Ledger) {
    let header = session.header
    let comparison = Comparison(
      kinds: header.expects,
      ignoring: header.start == .unknown ? [.pulse, .transmit] : [], tolerance: tolerance,
      countsDifferences: countsDifferences,
      times: isExact && header.clock == .device
        ? .board : .computer(isFitted: header.clock == .host, sweeps: sweeps))
    var run = VerificationRun(
      device, tolerance: tolerance, comparison, header: header, ledger: Ledger())
    session.forEachEvent(at: times, includesOthers: true) { run.take($0, line: $1) }
    let verdict = run.finish(lastEvent: session.lastTime)
    return (verdict, run.finishLedger())
  }

  /// Whether a world agrees step by step, so that it verifies as a trace of its own.
  package func agreesExactly(_ times: [Instant]) -> Bool {
    judge(times, isExact: true).verdict.agrees
  }

  /// Runs a world. Passes on its outputs and returns the fates of the bytes.
  @_specialize(where D == Model)
  package func run(_ times: [Instant], _ note: (TimedOutput) -> Void) -> Ledger {
    var simulation = Simulation(device, ledger: Ledger())
    func pass(to time: Instant) {
      while simulation.step(to: time) {
        for seen in simulation.outputs { note(seen) }
      }
    }
    let end = session.header.end
    session.forEachEvent(at: times, includesOthers: false) { event, _ in
      guard event.time <= end ?? event.time else { return }
      pass(to: event.time)
      simulation.feed(event)
    }
    pass(to: end ?? session.lastTime)
    return simulation.finishLedger()
  }
}
