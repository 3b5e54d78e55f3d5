import Turret

/// Outputs that wait for what may yet come before them, in order of time.
struct HeldOutputs: Sendable {
  private var held: [(time: Instant, output: Output)] = []
  private var released = Instant.zero

  /// Puts an output where it belongs, behind what has the same time. Nothing happened before time 0.
  mutating func insert(_ output: Output, at time: Instant) {
    let time = max(time, .zero)
    var index = held.count
    while index > 0, held[index - 1].time > time { index -= 1 }
    held.insert((time, output), at: index)
  }

  /// Hands over what happened before a moment. What came too late for its place still comes in order.
  mutating func take(before limit: Instant) -> [(time: Instant, output: Output)] {
    let count = held.prefix { $0.time < limit }.count
    var taken = Array(held.prefix(count))
    held.removeFirst(count)
    for index in taken.indices {
      released = max(released, taken[index].time)
      taken[index].time = released
    }
    return taken
  }
}
