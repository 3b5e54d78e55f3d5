/// Finds the numbers for which a sketch still does something new, by trying more of them.
struct RangeSearch {
  /// What a sketch does with a number. `follows`: whether it moved or switched something.
  typealias Response = (follows: Bool, effect: TrialEffect)

  /// Likely ends of ranges in sketches, and numbers between them.
  private static let ladder: [Int32] = [
    0, 1, 2, 5, 9, 10, 20, 30, 45, 60, 70, 80, 89, 90, 91, 99, 100, 110, 120, 127, 128, 135, 150,
    160, 170, 179, 180, 181, 200, 225, 255, 256, 270, 300, 359, 360, 400, 500, 543, 544, 700, 999,
    1_000, 1_023, 1_024, 1_500, 2_000, 2_400, 2_500, 3_000, 4_095, 5_000, 9_999, 20_000, 32_767,
    65_535,
  ]

  private let limits: ClosedRange<Int32>
  /// The likely ends and numbers between them, in the units of the numbers.
  private let numbers: [Int32]
  private let respond: (Int32) -> Response

  /// `decimals`: the numbers are in units of this decimal.
  init(
    within limits: ClosedRange<Int32>, decimals: Int = 0, _ respond: @escaping (Int32) -> Response
  ) {
    self.limits = limits
    let scale = (0..<decimals).reduce(Int64(1)) { power, _ in power * 10 }
    numbers = (Self.ladder + Self.ladder.dropFirst().map { -$0 }).compactMap {
      Int32(exactly: Int64($0) * scale)
    }
    self.respond = respond
  }

  /// Returns the range around a number that works.
  func range(around seen: Int32, at position: TrialEffect.Position?) -> ClosedRange<Int32> {
    let up = numbers.filter { $0 > seen && limits.contains($0) }.sorted()
    let down = numbers.filter { $0 < seen && limits.contains($0) }.sorted(by: >)
    return end(from: seen, position, down)...end(from: seen, position, up)
  }

  /// Returns the last number in one direction.
  private func end(
    from seen: Int32, _ position: TrialEffect.Position?, _ numbers: [Int32]
  ) -> Int32 {
    var (good, last) = (seen, position)
    var trend: Double?
    /// Whether the number works, and what it moves continues in the same direction.
    func works(_ number: Int32) -> Bool {
      let response = respond(number)
      guard response.follows else { return false }
      let change = response.effect.position?.change(since: last)
      return (change ?? 0) * (trend ?? 0) >= 0
    }
    for number in numbers {
      guard works(number) else {
        good = boundary(good, number, works)
        break
      }
      let now = respond(number).effect.position
      if trend == nil, let change = now?.change(since: last), change != 0 { trend = change }
      (good, last) = (number, now ?? last)
    }
    return beginningOfRest(good, from: seen)
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
  /// clamps a number, the range ends at the clamp's limit.
  private func beginningOfRest(_ last: Int32, from seen: Int32) -> Int32 {
    let distance = Int64(last) - Int64(seen)
    guard abs(distance) > 2 else { return last }
    let effect = respond(last).effect
    let step = distance / 8 == 0 ? distance.signum() * 2 : distance / 8
    guard respond(Int32(Int64(last) - step)).effect == effect else { return last }
    return boundary(last, seen) { respond($0).effect == effect }
  }
}
