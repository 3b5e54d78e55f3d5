/// Finds the numbers for which a sketch still does something new, by trying more of them.
struct RangeSearch {
  /// What a sketch does with a number.
  struct Response: Equatable, Sendable {
    /// Whether it moved or switched something.
    var follows: Bool
    /// Where everything is after it.
    var positions: TrialPositions
  }

  /// Likely ends of ranges in sketches, and numbers between them.
  private static let ladder: [Int32] = [
    0, 1, 2, 5, 9, 10, 20, 30, 45, 60, 70, 80, 89, 90, 91, 99, 100, 110, 120, 127, 128, 135, 150,
    160, 170, 179, 180, 181, 200, 225, 255, 256, 270, 300, 359, 360, 400, 500, 543, 544, 700, 999,
    1_000, 1_023, 1_024, 1_500, 2_000, 2_400, 2_500, 3_000, 4_095, 5_000, 9_999, 20_000, 32_767,
    65_535,
  ]
  /// Of numbers with the same effect, the first of these is the most likely end.
  private static let ends: [Int32] = [
    0, 180, 255, 640, 480, 1_000, 1_023, 100, 999, 500, 200, 320, 240, 360, 90, 10, 2_000, 4_095,
    544, 2_400, 2_500, 600, 700, 900, 1_200, 1_800, 2_100, 2_200, 2_300,
  ]
  /// The numbers of a rest that all have the same effect, because the sketch limits them: so many
  /// and at least a part of the way to it.
  private static let restMin: Int64 = 40
  private static let restPart: Int64 = 8
  /// How many of the ladder's next numbers can be too near to be seen.
  private static let nearMax = 5

  private let limits: ClosedRange<Int32>
  /// 1, or 100 for numbers in units of the second decimal.
  private let scale: Int64
  /// Where everything is before the number.
  private let start: TrialPositions
  private let respond: (Int32) -> Response

  /// `decimals`: the numbers are in units of this decimal.
  init(
    within limits: ClosedRange<Int32>, decimals: Int = 0, from start: TrialPositions,
    _ respond: @escaping (Int32) -> Response
  ) {
    self.limits = limits
    scale = (0..<decimals).reduce(Int64(1)) { power, _ in power * 10 }
    self.start = start
    self.respond = respond
  }

  /// Whether something moves up or down with the number; nil if that is not known.
  private typealias Trend = [TrialPositions.Channel: Double]

  /// Returns the range around a number that works. `known` contains it: the range of numbers that
  /// are known to work.
  func range(around seen: Int32, known: ClosedRange<Int32>) -> ClosedRange<Int32> {
    var trend = Trend()
    if known.count > 1 {
      let high = respond(known.upperBound).positions
      for (channel, change) in moved(high, respond(known.lowerBound).positions) {
        trend[channel] = change
      }
    }
    // The direction in which there is more to see.
    if seen < 90 * scale {
      let high = end(from: seen, 1, &trend)
      return end(from: seen, -1, &trend)...high
    }
    let low = end(from: seen, -1, &trend)
    return low...end(from: seen, 1, &trend)
  }

  private func ladder(from seen: Int32, _ direction: Int64) -> [Int32] {
    let all = (Self.ladder + Self.ladder.dropFirst().map { -$0 }).compactMap {
      Int32(exactly: Int64($0) * scale)
    }
    let beyond = all.filter { limits.contains($0) && (Int64($0) - Int64(seen)) * direction > 0 }
    return direction > 0 ? beyond.sorted() : beyond.sorted(by: >)
  }

  /// Returns the last number in one direction, 1 or -1.
  private func end(from seen: Int32, _ direction: Int64, _ trend: inout Trend) -> Int32 {
    var good = seen
    var last = respond(seen)
    /// The first of the numbers with the same effect as the last one.
    var rest = seen
    var nearCount = 0
    func distance(_ number: Int32, _ other: Int32) -> Int64 { abs(Int64(number) - Int64(other)) }
    for number in ladder(from: seen, direction) {
      let response = respond(number)
      if works(response, after: last, direction, trend) {
        if !selects(response, after: last) {
          for (channel, change) in moved(response.positions, last.positions)
          where trend[channel] == nil {
            trend[channel] = change * Double(direction)
          }
        }
        if response != last { rest = number }
        (good, last) = (number, response)
        let enough = max(Self.restMin * scale, distance(number, seen) / Self.restPart)
        if distance(number, rest) >= enough { break }
      } else if !response.follows, good == seen, nearCount < Self.nearMax {
        nearCount += 1
      } else {
        let trend = trend
        good = boundary(good, number) { works(respond($0), after: last, direction, trend) }
        // Where a number is refused, the range ends, unless those before it were limited.
        let step = distance(good, seen) / Self.restPart * direction
        let isLimited = step != 0 && respond(Int32(Int64(good) - step)) == respond(good)
        return response.follows || isLimited ? beginningOfRest(good, from: seen, direction) : good
      }
    }
    return good == rest ? good : beginningOfRest(good, from: seen, direction)
  }

  /// Whether a number has an effect, and what it moves continues in the same direction.
  private func works(
    _ response: Response, after last: Response, _ direction: Int64, _ trend: Trend
  ) -> Bool {
    guard response.follows else { return false }
    if selects(response, after: last) { return true }
    return moved(response.positions, last.positions).allSatisfy { channel, change in
      change * (trend[channel] ?? 0) * Double(direction) >= 0
    }
  }

  /// Returns how far the servos are from other positions or, if there are none, everything else: a
  /// sketch's tone or lamp need not depend on where it turns.
  private func moved(_ positions: TrialPositions, _ others: TrialPositions) -> Trend {
    func isServo(_ channel: TrialPositions.Channel) -> Bool {
      if case .servo = channel { true } else { false }
    }
    // Nearer positions of a servo can be one that is measured again.
    let changes = positions.changes(since: others).filter { channel, change in
      !isServo(channel) || abs(change) > 1.5 * TrialPositions.tolerance
    }
    return positions.values.keys.contains(where: isServo)
      ? changes.filter { isServo($0.key) } : changes
  }

  /// Whether a number moves something else than the last one did.
  private func selects(_ response: Response, after last: Response) -> Bool {
    let before = last.positions.changes(since: start)
    return response.positions.changes(since: start).keys.contains { before[$0] == nil }
      && !before.isEmpty
  }

  /// Returns the last number that works, between one that does and one that does not.
  private func boundary(
    _ good: Int32, _ bad: Int32, _ works: (Int32) -> Bool
  ) -> Int32 {
    var (good, bad) = (Int64(good), Int64(bad))
    while abs(bad - good) > 1 {
      let middle = (good + bad) / 2
      if works(Int32(middle)) { good = middle } else { bad = middle }
    }
    return Int32(good)
  }

  /// Returns the first number from which the sketch does the same as for the last one: if a sketch
  /// limits a number, the range ends at the limit.
  private func beginningOfRest(_ last: Int32, from seen: Int32, _ direction: Int64) -> Int32 {
    let first = first(last, from: seen)
    guard first != seen else { return seen }
    // With numbers that are divided, several have the same effect: so many before the limit, and
    // as many from there on that are no less likely.
    let count = abs(Int64(first) - Int64(self.first(Int32(Int64(first) - direction), from: seen)))
    let alike = (0...max(count, 0)).map { Int64(first) + $0 * direction }
    return Self.ends.map { Int64($0) * scale }.first { alike.contains($0) }.map { Int32($0) }
      ?? first
  }

  /// Returns the first number that has the same effect as another, on the way to it from `seen`.
  private func first(_ number: Int32, from seen: Int32) -> Int32 {
    let response = respond(number)
    if respond(seen) == response { return seen }
    return boundary(number, seen) { respond($0) == response }
  }
}
