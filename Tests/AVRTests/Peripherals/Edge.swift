/// A pin's change, as the tests write it down.
struct Edge: Hashable, CustomStringConvertible {
  var cycle: UInt64
  var isHigh: Bool

  init(_ cycle: UInt64, _ isHigh: Bool) {
    self.cycle = cycle
    self.isHigh = isHigh
  }

  var description: String { "\(isHigh ? "up" : "down") at \(cycle)" }
}

/// An interrupt that asks to be taken.
struct Interrupt: Hashable {
  var cycle: UInt64
  var vector: UInt8
}
