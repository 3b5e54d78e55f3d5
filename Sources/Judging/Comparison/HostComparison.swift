package import Sketches
package import Traces

/// Compares a trace whose times a computer stamped. They are fitted first, once for all kinds
/// together, so both sides are kept in memory until the session is over, about 100 bytes per event.
package struct HostComparison: Judge {
  private let kinds: Set<Output.Kind>?
  private let sweeps: SessionSetup?
  private let fitsClock: Bool
  private let tolerance: Interval
  private var comparison: Comparison
  private var expected: [Expectation] = []
  private var found: [Event] = []
  package private(set) var fit: ClockFit?

  /// `sweeps`: the session whose sweeps can have one step more or one fewer than the trace's,
  /// because the computer's clock cannot decide whether a byte came before a step; nil to compare
  /// each step. Without `fitsClock` the times are compared as they are. `countsDifferences` is that
  /// of `Comparison`.
  package init(
    kinds: Set<Output.Kind>?, ignoring ignored: Set<Output.Kind> = [], tolerance: Interval,
    sweeps: SessionSetup? = nil, fitsClock: Bool = true, countsDifferences: Bool = true
  ) {
    self.fitsClock = fitsClock
    self.tolerance = tolerance
    self.kinds = kinds
    self.sweeps = sweeps
    comparison = Comparison(
      kinds: kinds, ignoring: ignored, tolerance: tolerance, countsDifferences: countsDifferences)
  }

  package mutating func expect(_ event: Event, line: Int) {
    expected.append(Expectation(event, line: line))
  }

  package mutating func find(_ event: Event) { found.append(event) }

  package mutating func settle(before instant: Instant, line: Int) {}

  package mutating func finish(at end: Instant, line: Int) {
    let blank = comparison
    compare(found, at: end, line: line)
    // Only if the steps differ, because a second run of the model takes as long as the first.
    if let sweeps, comparison.divergence?.isAboutServo == true {
      let inputs = expected.lazy.map { $0.event }.filter { $0.isInput }
      let adjusted = SweepEnds(inputs, sweeps, until: end, tolerance: tolerance)
        .adjusted(found, to: expected)
      if adjusted != found {
        comparison = blank
        compare(adjusted, at: end, line: line)
      }
    }
    expected = []
    found = []
  }

  /// Compares the trace's events with the device's outputs after fitting their times.
  private mutating func compare(_ outputs: [Event], at end: Instant, line: Int) {
    var found = outputs
    if fitsClock { fit = ClockFit(pairs(with: found)) }
    if let fit { for index in found.indices { found[index].time = fit.host(found[index].time) } }
    var next = 0
    for expectation in expected {
      while next < found.count, found[next].time <= expectation.event.time {
        comparison.find(found[next])
        next += 1
      }
      comparison.expect(expectation.event, line: expectation.line)
      comparison.settle(before: expectation.event.time, line: expectation.line)
    }
    for event in found[next...] { comparison.find(event) }
    comparison.finish(at: end, line: line)
  }

  package var hasDiverged: Bool { comparison.hasDiverged }
  package var divergence: Divergence? { comparison.divergence }
  package var tally: Tally { comparison.tally }
  package var worst: Interval { comparison.worst }
  /// Always nil: the fit of the clock absorbs a drift.
  package var drift: SweepDrift? { nil }

  /// Pairs the n-th output of each kind with the n-th of the other side while their values agree.
  private func pairs(with found: [Event]) -> [(device: Instant, host: Instant)] {
    var pairs: [(device: Instant, host: Instant)] = []
    var pins: [BoardPin?] = [nil]
    for case let pin? in expected.lazy.map({ $0.event.output?.pin }) where !pins.contains(pin) {
      pins.append(pin)
    }
    let sequences = Output.Kind.allCases.flatMap { kind in pins.map { (kind, $0) } }
    /// Returns the indices of each sequence's outputs.
    func places(_ events: some Sequence<Event>) -> [[Int]] {
      var places = [[Int]](repeating: [], count: sequences.count)
      for (index, event) in events.enumerated() {
        guard let output = event.output else { continue }
        let (kind, pin) = (output.kind, output.pin)
        guard let sequence = sequences.firstIndex(where: { $0 == kind && $1 == pin }) else {
          continue
        }
        places[sequence].append(index)
      }
      return places
    }
    let wanted = places(expected.lazy.map { $0.event })
    let given = places(found)
    for (sequence, (kind, _)) in sequences.enumerated() where kinds?.contains(kind) ?? true {
      for (wanted, given) in zip(wanted[sequence], given[sequence]) {
        guard let a = expected[wanted].event.output, let b = found[given].output, a.matches(b)
        else { break }
        pairs.append((device: found[given].time, host: expected[wanted].event.time))
      }
    }
    return pairs
  }
}

extension Divergence {
  /// Whether one of the outputs that differ moves the servo.
  fileprivate var isAboutServo: Bool {
    ServoState(expected?.event.output) != nil || ServoState(found?.output) != nil
  }
}

/// The relation of a computer's clock to the board's. It is fitted to pairs of the same event by
/// least squares, within the range that a computer's clock and a serial port can explain.
package struct ClockFit: Hashable, Sendable {
  package static let offsetMax = 0.050
  package static let driftMax = 5_000e-6
  /// The minimum number of pairs for a fit.
  package static let pairCountMin = 3

  /// How late the computer's stamps are at time 0, in seconds.
  package var offset: Double
  /// How much faster the computer's clock runs: 1e-6 is one part per million.
  package var drift: Double

  package var lateness: Interval { Interval(nanoseconds: Int64((offset * 1e9).rounded())) }
  /// In parts per million.
  package var driftPPM: Int64 { Int64((drift * 1e6).rounded()) }
  package var text: String {
    "the clock was \(String(readable: lateness)) late, drifting \(driftPPM) ppm"
  }

  /// Fits pairs of a device's instant and a computer's. Nil with fewer than three.
  package init?(_ pairs: [(device: Instant, host: Instant)]) {
    guard pairs.count >= Self.pairCountMin else { return nil }
    let count = Double(pairs.count)
    var (times, lates, timeTimes, timeLates) = (0.0, 0.0, 0.0, 0.0)
    for pair in pairs {
      let time = pair.device.seconds
      let late = (pair.host - pair.device).seconds
      times += time
      lates += late
      timeTimes += time * time
      timeLates += time * late
    }
    func bestOffset(_ drift: Double) -> Double {
      Self.clamp((lates - drift * times) / count, Self.offsetMax)
    }
    func bestDrift(_ offset: Double) -> Double {
      timeTimes > 0 ? Self.clamp((timeLates - offset * times) / timeTimes, Self.driftMax) : 0
    }
    /// Returns the sum of the squares, without the part that is the same for all candidates.
    func misfit(_ offset: Double, _ drift: Double) -> Double {
      count * offset * offset + drift * drift * timeTimes + 2 * offset * drift * times
        - 2 * offset * lates - 2 * drift * timeLates
    }
    // The best line if it is within the limits, otherwise the best on their edges.
    let spread = timeTimes - times * times / count
    let slope = spread > 0 ? (timeLates - times * lates / count) / spread : 0
    let intercept = (lates - slope * times) / count
    if abs(slope) <= Self.driftMax, abs(intercept) <= Self.offsetMax {
      (offset, drift) = (intercept, slope)
      return
    }
    var candidates: [(offset: Double, drift: Double)] = []
    for edge in [-Self.driftMax, Self.driftMax] { candidates.append((bestOffset(edge), edge)) }
    for edge in [-Self.offsetMax, Self.offsetMax] { candidates.append((edge, bestDrift(edge))) }
    (offset, drift) = candidates.min {
      misfit($0.offset, $0.drift) < misfit($1.offset, $1.drift)
    }!
  }

  private static func clamp(_ value: Double, _ limit: Double) -> Double {
    min(max(value, -limit), limit)
  }

  /// Returns the computer's stamp for a device's instant.
  package func host(_ instant: Instant) -> Instant {
    let late = offset + drift * instant.seconds
    return instant + Interval(nanoseconds: Int64((late * 1e9).rounded()))
  }

  /// Returns the device's instant for a computer's stamp.
  package func device(_ instant: Instant) -> Instant {
    let seconds = (instant.seconds - offset) / (1 + drift)
    return instant + Interval(nanoseconds: Int64(((seconds - instant.seconds) * 1e9).rounded()))
  }
}
