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
  /// The longest glitch that is left out, in bits, and how much longer than that all else must be.
  private static let glitchMax = 0.2
  private static let glitchStep = 2.5

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

  /// Measures the speed of a line from the times between its edges in order, in nanoseconds, where
  /// 0 is an interruption. If they fit no speed well, or another than `expected`, the shortest ones
  /// can be glitches: they are left out if all others are much longer, and fit.
  init?(withGlitches runs: [Int64], expected: Int) {
    let times = runs.filter { $0 > 0 }
    let plain = Self(times, expected: expected)
    let isPerfect = plain.map { $0.fitting == $0.total } ?? false
    let isExpected = plain.map { abs($0.deviation(from: expected)) < 0.06 } ?? false
    let isDoubtful = !isExpected || !isPerfect && !(plain?.isSure ?? false)
    guard isDoubtful, var length = times.min() else {
      guard let plain else { return nil }
      self = plain
      return
    }
    var count = times.count
    // No bit is longer than 20 ms.
    while length < 20_000_000 {
      length *= 2
      let (rest, longest) = Self.leavingOut(length, runs)
      guard rest.count >= Self.totalMin else { break }
      if rest.count == count { continue }
      count = rest.count
      guard let shortest = rest.min(),
        Double(shortest) >= Double(longest) * Self.glitchStep,
        let found = Self(rest, expected: expected),
        Double(longest) / 1e9 * found.baud < Self.glitchMax
      else { continue }
      let isMost = found.fitting * 5 >= found.total * 4 && found.total >= 12
      if isMost || !isPerfect && found.fitting * 20 >= found.total * 19 {
        self = found
        return
      }
    }
    guard let plain else { return nil }
    self = plain
  }

  /// Returns the times between edges without pulses that are shorter than `length`, and the longest
  /// of these.
  private static func leavingOut(_ length: Int64, _ runs: [Int64]) -> ([Int64], longest: Int64) {
    var longest: Int64 = 0
    // A time that was not recorded as a whole.
    let open = Int64.max / 4
    var rest = [open]
    // Whether the next time is at the same level as the last one.
    var isSame = false
    for run in runs {
      if run == 0 {
        rest.append(open)
        isSame = false
      } else if run < length {
        rest[rest.count - 1] += run
        isSame.toggle()
        longest = max(longest, run)
      } else if isSame {
        rest[rest.count - 1] += run
        isSame = false
      } else {
        rest.append(run)
      }
    }
    return (rest.filter { $0 < open }, longest)
  }

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
