package import Sketches
import Traces

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

  /// Fits the computer's times of the expected outputs to the device's of those found. The n-th
  /// output of each kind, and pin, is paired with the n-th of the other side while their values
  /// agree. `kinds`: those to pair; nil for all. Nil with fewer than three pairs.
  init?(_ expected: [Expectation], _ found: [Event], _ kinds: Set<Output.Kind>? = nil) {
    func sequences(
      _ events: some Sequence<Event>
    ) -> [OutputSequence: [(output: Output, time: Instant)]] {
      var sequences: [OutputSequence: [(output: Output, time: Instant)]] = [:]
      for event in events {
        guard let output = event.output else { continue }
        let sequence = OutputSequence(kind: output.kind, pin: output.pin)
        sequences[sequence, default: []].append((output, event.time))
      }
      return sequences
    }
    let wanted = sequences(expected.lazy.map { $0.event })
    let given = sequences(found)
    var pins: [BoardPin?] = [nil]
    for case let pin? in expected.lazy.map({ $0.event.output?.pin }) where !pins.contains(pin) {
      pins.append(pin)
    }
    var pairs: [(device: Instant, host: Instant)] = []
    for kind in Output.Kind.allCases where kinds?.contains(kind) ?? true {
      for sequence in pins.map({ OutputSequence(kind: kind, pin: $0) }) {
        for (wanted, given) in zip(wanted[sequence] ?? [], given[sequence] ?? []) {
          guard wanted.output.matches(given.output) else { break }
          pairs.append((device: given.time, host: wanted.time))
        }
      }
    }
    self.init(pairs)
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
