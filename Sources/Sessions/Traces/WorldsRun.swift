package import Devices
package import Judging
package import Sketches
import Synchronization
package import Traces

/// Replays a session with uncertain times in many worlds, on several processors.
package struct WorldsRun: Sendable {
  package static let defaultCount = 1_000
  package static let counts = 1...1_000_000
  package static let defaultSeed: UInt64 = 1
  /// How long a device slower than the model is replayed, on all processors together, unless the
  /// number of worlds is given.
  private static let budget = Duration.seconds(10)
  /// The number of parts for each processor. There are several, so that the last ones end at about
  /// the same time.
  private static let partsPerJob = 8

  /// How far the time of a byte can be off; nil for what the trace states.
  package var uncertainty: Interval?
  /// The number of worlds; nil for the default, or fewer on a slow device.
  package var count: Int?
  package var seed = defaultSeed
  package var jobs = Workers.processorCount
  /// Whether a bar shows the progress, if nothing else does.
  var showsProgress = false

  package init() {}

  /// Throws if timings are requested: only a model of the sketch can show how their results differ.
  func refuse() throws(Failure) {
    guard let uncertainty, uncertainty > .zero else { return }
    throw Failure.misuse(
      "--uncertainty requires a sketch that a model behaves as, and the device model: only a model "
        + "shows which commands are lost.")
  }

  /// Returns a note if a trace's times are taken as exact although it states how far they can be
  /// off: a list of at most one sentence.
  func notes(_ header: Header) -> [String] {
    guard uncertainty == nil, header.uncertainty != nil else { return [] }
    return ["the times are uncertain, but are taken as exact here"]
  }

  /// Judges a trace: in many worlds if its times are uncertain, else as it is. Nil if the device
  /// has no outputs of its own. Throws if it fails.
  func verdict(
    of job: TraceJob, _ reader: inout TraceReader, on source: some DeviceSource,
    tolerance: Interval? = nil
  ) throws -> Verdict? {
    let firmware = job.choice.firmware
    guard !source.observes(reader.header.firmware(unless: firmware)).isEmpty else {
      // The time of the last event is needed.
      while try reader.next() != nil {}
      return nil
    }
    var verification = Verification()
    verification.firmware = firmware
    verification.tolerance = tolerance
    let verdict =
      if let uncertainty = source.uncertainty(of: reader.header, unless: uncertainty) {
        try judge(&reader, uncertainty: uncertainty, on: source, verification).verdict
      } else {
        try verification.verify(&reader, on: source)
      }
    if case .deviceFailed(let error) = verdict.outcome { throw Failure(error, on: job.trace) }
    return verdict
  }

  /// Judges a trace whose bytes' times can be off by `uncertainty`. `findsNearest` also searches
  /// for the nearest world that agrees, and returns it as a trace; nil if no world agrees.
  package func judge<Source: DeviceSource>(
    _ reader: inout TraceReader, uncertainty: Interval, on source: Source,
    _ verification: Verification, findsNearest: Bool = false
  ) throws(TraceError) -> (verdict: Verdict, nearest: [UInt8]?) {
    let session = try UncertainSession(&reader, uncertainty: uncertainty)
    let firmware = try source.firmware(
      of: session.header, in: reader.path, unless: verification.firmware)
    let hidden = session.kindsOfOutput.subtracting(source.observes(firmware))
    guard hidden.isEmpty else { return (Verdict(.cannotObserve(hidden)), nil) }
    let device: Source.Made
    do throws(DeviceError) {
      device = try source.makeDevice(
        for: session.header, firmware: firmware,
        showsPulses: session.kindsOfOutput.contains(.pulse))
    } catch {
      return (Verdict(.deviceFailed(error)), nil)
    }
    let trial = WorldTrial(
      session, on: device, firmware: firmware, timing: source.timing,
      tolerance: verification.tolerance)
    let recorded = trial.judge(session.recordedTimes, countsDifferences: true)
    if case .deviceFailed = recorded.verdict.outcome { return (recorded.verdict, nil) }
    let reference = WorldReference(session, recorded.ledger, firmware: firmware)
    var tally = WorldTally()
    tally.add(
      world: 0, recorded.ledger, recorded.verdict,
      shift: findsNearest && trial.agreesExactly(session.recordedTimes) ? 0 : nil,
      reference: reference)
    run(isSlow: !source.reportsFates) { [seed] worlds in
      var part = WorldTally()
      for world in worlds {
        let times = session.times(ofWorld: world, seed: seed)
        let (verdict, ledger) = trial.judge(times)
        let isNear = findsNearest && verdict.agrees && trial.agreesExactly(times)
        part.add(
          world: world, ledger, verdict, shift: isNear ? session.shift(of: times).sum : nil,
          reference: reference)
      }
      return part
    } inOrder: {
      tally.add($0)
    }
    var findings = WorldFindings(
      tally, reference, of: session, seed: seed, tolerance: trial.tolerance)
    guard findsNearest, let near = tally.nearest else {
      return (findings.verdict(recorded: recorded.verdict), nil)
    }
    var nearest = NearestWorld(session, from: session.times(ofWorld: near.world, seed: seed))
    nearest.search { trial.agreesExactly($0) }
    findings.nearest = session.shift(of: nearest.times).largest
    return (
      findings.verdict(recorded: recorded.verdict),
      session.trace(at: nearest.times, tolerance: trial.tolerance)
    )
  }

  /// Replays a trace whose bytes' times can be off by `uncertainty` and returns what became of the
  /// bytes and, for a picture, the range of the commanded angle from `start` to `end`. `ledger` has
  /// the fates at the recorded times.
  package func explore(
    _ reader: inout TraceReader, uncertainty: Interval, on source: some DeviceSource,
    firmware: Firmware?, band: AngleBand? = nil
  ) throws -> (ledger: Ledger, findings: WorldFindings, session: UncertainSession, band: AngleBand?)
  {
    let session = try UncertainSession(&reader, uncertainty: uncertainty)
    let firmware = try source.firmware(of: session.header, in: reader.path, unless: firmware)
    let device = try source.makeDevice(
      for: session.header, firmware: firmware, showsPulses: false)
    let trial = WorldTrial(
      session, on: device, firmware: firmware, timing: source.timing, tolerance: nil)
    let ledger = trial.run(session.recordedTimes) { _ in }
    let reference = WorldReference(session, ledger, firmware: firmware)
    var tally = WorldTally()
    tally.add(world: 0, ledger, nil, reference: reference)
    var whole = band
    run(isSlow: !source.reportsFates) { [seed] worlds in
      var part = (tally: WorldTally(), band: band)
      for world in worlds {
        var angles: [(time: Instant, degrees: UInt8)] = []
        let ledger = trial.run(session.times(ofWorld: world, seed: seed)) { seen in
          if case .servo(let degrees, _, nil) = seen.output { angles.append((seen.time, degrees)) }
        }
        part.tally.add(world: world, ledger, nil, reference: reference)
        part.band?.add(angles)
      }
      return part
    } inOrder: { part in
      tally.add(part.tally)
      if let band = part.band { whole?.add(band) }
    }
    let findings = WorldFindings(
      tally, reference, of: session, seed: seed, tolerance: trial.tolerance)
    return (ledger, findings, session, whole)
  }

  /// Does `work` on parts of the worlds after the first, and passes the results on in order. On a
  /// slow device, no part begins once the budget is spent.
  private func run<Part: Sendable>(
    isSlow: Bool, work: @escaping @Sendable (Range<Int>) -> Part, inOrder handle: (Part) -> Void
  ) {
    let count = count ?? Self.defaultCount
    let size = isSlow ? 1 : max(1, count / (jobs * Self.partsPerJob))
    let parts = stride(from: 1, to: count, by: size).map { $0..<min($0 + size, count) }
    let limit = isSlow && self.count == nil ? Self.budget : nil
    let spent = Mutex(Duration.zero)
    let progress = Progress(total: count, isShown: showsProgress)
    defer { progress.clear() }
    var isDone = false
    Workers.run(parts, jobs: jobs) { worlds -> Part? in
      if let limit, spent.withLock({ $0 >= limit }) { return nil }
      let start = ContinuousClock().now
      defer {
        spent.withLock { $0 += ContinuousClock().now - start }
        progress.finish(worlds.count)
      }
      return work(worlds)
    } inOrder: { (part: Part?) throws(Never) in
      // Only the worlds before the first skipped one count, even if later ones were replayed.
      guard !isDone, let part else {
        isDone = true
        return
      }
      handle(part)
    }
  }
}
