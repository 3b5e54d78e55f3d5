package import Devices
package import Sketches
package import Traces

/// Replays traces on a device and compares its outputs with what the traces expect.
package struct Verification: Sendable {
  /// Replaces the trace's own firmware; nil to keep it.
  package var firmware: Firmware?
  /// Replaces the trace's own tolerance; nil to keep it.
  package var tolerance: Interval?

  package init() {}

  /// Verifies the reader's trace on a device of the source. `progress` is called from time to time
  /// with the number of bytes read so far.
  package func verify<Source: DeviceSource>(
    _ reader: inout TraceReader, on source: Source = ModelSource(),
    progress: (Int) -> Void = { _ in }
  ) throws(TraceError) -> Verdict {
    let header = reader.header
    let firmware = try source.firmware(of: header, in: reader.path, unless: firmware)
    // A missing device shows nothing at all, so it is reported first.
    do throws(DeviceError) {
      try source.check()
    } catch {
      return Verdict(.deviceFailed(error))
    }
    // Reported before a session in real time begins, if the trace can be searched beforehand.
    let hidden = Set(Output.Kind.allCases).subtracting(source.observes(firmware))
    var missing = header.expects?.intersection(hidden)
    if missing == nil { missing = try reader.kindsOfOutput(among: hidden) }
    if let missing, !missing.isEmpty { return Verdict(.cannotObserve(missing)) }
    let showsPulses = try reader.hasPulses
    let device: Source.Made
    do throws(DeviceError) {
      device = try source.makeDevice(
        for: header, firmware: firmware, showsPulses: showsPulses)
    } catch {
      return Verdict(.deviceFailed(error))
    }
    var verdict = try verify(&reader, on: device, timing: source.timing, progress: progress)
    verdict.drift?.modelStep = (source.timing ?? firmware.sketch.timing).step
    return verdict
  }

  /// Verifies the reader's trace on the caller's own device, at the start of its session. `timing`
  /// contains the figures of another build, if the device uses them; nil for the measured ones.
  package func verify(
    _ reader: inout TraceReader, on device: some Device, timing: Timing? = nil,
    progress: (Int) -> Void = { _ in }
  ) throws(TraceError) -> Verdict {
    let header = reader.header
    var device = device
    let capabilities = device.capabilities
    if capabilities.observes.contains(.pin) { device.watch(try reader.levelPins) }
    if let expects = header.expects, !expects.isSubset(of: capabilities.observes) {
      return Verdict(.cannotObserve(expects.subtracting(capabilities.observes)))
    }
    let clock = capabilities.clock == .host ? .host : header.clock
    let tolerance = tolerance ?? header.tolerance(on: clock)
    // On a running board the phase of the pulses is unknown, and an aim does not reveal whether the
    // board reports its writes.
    let ignored: Set<Output.Kind> =
      header.start == .unknown || capabilities.start == .unknown ? [.pulse, .transmit] : []
    switch clock {
    case .device:
      let judge = Comparison(kinds: header.expects, ignoring: ignored, tolerance: tolerance)
      return try verify(&reader, device, tolerance, judge, progress)
    case .host:
      let judge = HostComparison(
        kinds: header.expects, ignoring: ignored, tolerance: tolerance,
        sweeps: SessionSetup(
          firmware: header.firmware(unless: firmware), timing: timing, baud: header.baud,
          start: header.start))
      return try verify(&reader, device, tolerance, judge, progress)
    }
  }

  // Otherwise each step would look up the types' metadata, which takes a tenth of a verification's
  // time.
  @_specialize(where D == Model, J == Comparison)
  private func verify<D: Device, J: Judge>(
    _ reader: inout TraceReader, _ device: D, _ tolerance: Interval, _ judge: J,
    _ progress: (Int) -> Void
  ) throws(TraceError) -> Verdict {
    var run = VerificationRun(device, tolerance: tolerance, judge, header: reader.header)
    // A pipe could not be searched beforehand. Indexed by the kind's number, because a set would
    // hash the kind of each output.
    let (observes, expects) = (device.capabilities.observes, reader.header.expects)
    let isHidden = Output.Kind.allCases.map { expects == nil && !observes.contains($0) }
    let isRealTime = device.capabilities.clock == .host
    var count = 0
    while let event = try reader.next() {
      run.take(event, line: reader.line)
      if isRealTime, let fault = run.fault { return Verdict(.deviceFailed(fault)) }
      if let kind = event.output?.kind, isHidden[kind.rawValue] {
        return Verdict(.cannotObserve([kind]))
      }
      count += 1
      if count & 0xFFF == 0 { progress(reader.bytesRead) }
    }
    return run.finish(lastEvent: reader.time)
  }
}

/// The result of verifying one trace.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case agrees
    case diverges(Divergence)
    /// The trace expects nothing. A check that cannot fail is not a check.
    case nothingToCompare(String)
    /// The device cannot show what the trace expects.
    case cannotObserve(Set<Output.Kind>)
    /// The recording cannot decide, with the reason: its times are too uncertain, or it does not
    /// contain what would decide.
    case undecided(String)
    /// The device is missing or was lost during the session, so the trace was not judged.
    case deviceFailed(DeviceError)

    /// Why nothing was decided, as a sentence without its capital letter and full stop; nil if
    /// something was, or if the device failed.
    package var openReason: String? {
      switch self {
      case .undecided(let why): why
      case .nothingToCompare(let why): "there is nothing to compare: \(why)"
      case .cannotObserve(let kinds):
        "the trace expects what this device cannot show: "
          + kinds.map { $0.name }.sorted().joined(separator: ", ")
      case .agrees, .diverges, .deviceFailed: nil
      }
    }
  }

  package var outcome: Outcome
  package var tally: Tally
  /// The largest deviation of a matching output.
  package var worst: Interval
  /// The fit of the clock, for a trace stamped by a computer.
  package var fit: ClockFit?
  /// How the device's sweep drifts relative to the trace's; nil if it does not.
  package var drift: SweepDrift?
  /// What the sketch was doing when the divergence was noticed.
  package var activity: Activity?
  /// The number of bytes waiting in the ring at that moment.
  package var waitingCount: Int?
  /// When the divergence was noticed.
  package var noticed: Instant?
  /// In a live session, the sender's gap that differs most from the trace's; nil if there is none.
  package var largestGap: GapDifference?
  /// In a live session, how many aims a newer one replaced and how many `L`s were merged before
  /// they were sent.
  package var replaced = 0
  package var merged = 0
  /// What many worlds showed, if the trace's times are uncertain.
  package var worlds: WorldFindings?
  /// Remarks about the program that ran on the device.
  package var remarks: [String] = []

  package var agrees: Bool { outcome == .agrees }
  /// Whether nothing was compared, at the recorded times and in all worlds.
  package var comparesNothing: Bool {
    if case .nothingToCompare = outcome { return true }
    if case .undecided = outcome, let worlds { return worlds.undecided == worlds.count }
    return false
  }

  package init(
    _ outcome: Outcome, tally: Tally = Tally(), worst: Interval = .zero, fit: ClockFit? = nil
  ) {
    self.outcome = outcome
    self.tally = tally
    self.worst = worst
    self.fit = fit
  }
}
