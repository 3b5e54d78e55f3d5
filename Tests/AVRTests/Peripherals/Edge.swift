/// A change of a pin's level.
struct Edge: Hashable, CustomStringConvertible {
  var cycle: UInt64
  var isHigh: Bool

  init(_ cycle: UInt64, _ isHigh: Bool) {
    self.cycle = cycle
    self.isHigh = isHigh
  }

  var description: String { "\(isHigh ? "up" : "down") at \(cycle)" }
}

/// An interrupt request.
struct Interrupt: Hashable {
  var cycle: UInt64
  var vector: UInt8
}
