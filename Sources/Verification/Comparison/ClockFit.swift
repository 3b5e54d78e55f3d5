package import Turret

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
