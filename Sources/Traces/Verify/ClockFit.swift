package import Turret

/// How a computer's clock relates to the board's: found from pairs of the same event by least
/// squares, within what a computer's clock and a serial port explain.
package struct ClockFit: Hashable, Sendable {
  package static let offsetMax = 0.050
  package static let driftMax = 5_000e-6
  /// With fewer pairs nothing is fitted.
  package static let pairCountMin = 3

  /// Seconds that the computer's stamps are late at time 0.
  package var offset: Double
  /// How much faster the computer's clock runs: 1e-6 is one part per million.
  package var drift: Double

  /// Nil with fewer than three pairs of a device's instant and a computer's.
  package init?(_ pairs: [(device: Instant, host: Instant)]) {
    guard pairs.count >= Self.pairCountMin else { return nil }
    let count = Double(pairs.count)
    let meanTime = pairs.reduce(0) { $0 + $1.device.seconds } / count
    let meanLate = pairs.reduce(0) { $0 + ($1.host - $1.device).seconds } / count
    var timeSquared = 0.0
    var product = 0.0
    for pair in pairs {
      let time = pair.device.seconds - meanTime
      timeSquared += time * time
      product += time * ((pair.host - pair.device).seconds - meanLate)
    }
    let slope = timeSquared > 0 ? product / timeSquared : 0
    drift = min(max(slope, -Self.driftMax), Self.driftMax)
    offset = min(max(meanLate - drift * meanTime, -Self.offsetMax), Self.offsetMax)
  }

  /// The computer's stamp for a device's instant.
  package func host(_ instant: Instant) -> Instant {
    let late = offset + drift * instant.seconds
    return instant + Interval(nanoseconds: Int64((late * 1e9).rounded()))
  }
}
