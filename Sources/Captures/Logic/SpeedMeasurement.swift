/// The speed of a serial line, measured from the times between its edges.
///
/// Two edges of a byte are a whole number of bits apart. The speed is the lowest at which that
/// holds for most of them; it also holds at multiples of that speed.
struct SpeedMeasurement: Hashable, Sendable {
  /// Bits a second.
  var baud: Double
  /// How many of the times between two edges fit, and how many there are.
  var fitting: Int
  var total: Int

  /// Speeds that ports offer, in bits a second.
  private static let usual = [
    300, 600, 1_200, 2_400, 4_800, 9_600, 14_400, 19_200, 28_800, 31_250, 38_400, 57_600, 74_880,
    76_800, 115_200, 230_400, 250_000, 460_800, 500_000, 921_600, 1_000_000, 2_000_000,
  ]
  /// The longest time without an edge in a byte is nine bits; a longer one is a pause.
  private static let bitsMax = 9.6
  /// How far a time can be from a whole number of bits, in bits.
  private static let errorMax = 0.2
  /// A speed whose share of fitting times is lower by more than this is worse than another.
  private static let scoreStep = 0.04
  /// The ratio of each speed that is tried to the one before.
  private static let step = 1.012
  /// The fewest times between edges from which a speed can be measured.
  private static let totalMin = 4

  /// A usual speed within 3 % of the measured one, or else the measured one.
  var nearest: Int {
    let near = Self.usual.min { abs(Double($0) - baud) < abs(Double($1) - baud) }
    if let near, abs(Double(near) / baud - 1) < 0.03 { return near }
    return Int(baud.rounded())
  }

  /// Whether `nearest` is one that ports offer.
  var isUsual: Bool { Self.usual.contains(nearest) }

  /// How far it is from another speed: 0.04 is 4 % faster.
  func deviation(from other: Int) -> Double { baud / Double(other) - 1 }

  /// Whether enough edges fit for the speed to be reliable.
  var isSure: Bool { total >= 12 && Double(fitting) >= 0.9 * Double(total) }

  /// Measures the speed of a line from the times between its edges, in nanoseconds. Prefers
  /// `expected` if it fits equally well. Nil if there are too few edges or no speed fits.
  init?(_ runs: [Int64], expected: Int) {
    guard runs.count >= Self.totalMin else { return nil }
    let seconds = runs.map { Double($0) / 1e9 }
    var best: (score: Double, baud: Double)?
    var tried: [(score: Double, baud: Double)] = []
    var baud = 280.0
    while baud < 2_200_000 {
      let fit = Self.fit(seconds, baud)
      // A speed at which most times are pauses explains nothing.
      if fit.total * 2 >= runs.count || fit.total >= 64 {
        let score = Double(fit.fitting) / Double(fit.total)
        tried.append((score, baud))
        if score > best?.score ?? 0 { best = (score, baud) }
      }
      baud *= Self.step
    }
    guard let best, best.score >= 0.6 else { return nil }
    guard var lowest = tried.first(where: { $0.score >= best.score - Self.scoreStep })?.baud else {
      return nil
    }
    // The first speed that fits is at the edge of the range that fits.
    lowest = Self.refine(seconds, Self.refine(seconds, lowest))
    let own = Self.refine(seconds, Self.refine(seconds, Double(expected)))
    if abs(own / Double(expected) - 1) < 0.06 {
      let ownFit = Self.fit(seconds, own)
      let ownScore = Double(ownFit.fitting) / Double(max(1, ownFit.total))
      // A lower speed is believed only if times of several lengths show it.
      let isLower = lowest < own * 0.9
      if ownScore >= best.score - Self.scoreStep, !isLower || Self.lengths(seconds, lowest) < 3 {
        lowest = own
      }
    }
    let fit = Self.fit(seconds, lowest)
    guard fit.total >= Self.totalMin else { return nil }
    self.baud = lowest
    fitting = fit.fitting
    total = fit.total
  }

  private static func fit(_ runs: [Double], _ baud: Double) -> (fitting: Int, total: Int) {
    var fitting = 0
    var total = 0
    for run in runs {
      let bits = run * baud
      guard bits < bitsMax else { continue }
      total += 1
      // Faster than a call of `round`; no time is negative.
      let whole = Double(Int32(bits + 0.5))
      if whole >= 1, abs(bits - whole) < errorMax { fitting += 1 }
    }
    return (fitting, total)
  }

  /// Returns the speed at which the times that fit are nearest to whole numbers of bits.
  private static func refine(_ runs: [Double], _ baud: Double) -> Double {
    var product = 0.0
    var square = 0.0
    for run in runs {
      let bits = run * baud
      let whole = min(bits, bitsMax).rounded()
      guard bits < bitsMax, whole >= 1, abs(bits - whole) < errorMax * 1.5 else { continue }
      product += run * whole
      square += whole * whole
    }
    return product > 0 ? square / product : baud
  }

  /// Returns how many different numbers of bits occur.
  private static func lengths(_ runs: [Double], _ baud: Double) -> Int {
    var seen: UInt16 = 0
    for run in runs where run * baud < bitsMax {
      seen |= 1 << UInt16(max(0, min(15, (run * baud).rounded())))
    }
    return seen.nonzeroBitCount
  }
}
