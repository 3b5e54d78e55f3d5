/// When each peripheral's next event is due; `.max` if none is.
struct Deadlines: Hashable, Sendable {
  private var cycles = SIMD16<UInt64>(repeating: .max)

  @inline(__always)
  subscript(owner: Peripherals.Owner) -> UInt64 {
    get { cycles[Int(owner.rawValue)] }
    set { cycles[Int(owner.rawValue)] = newValue }
  }

  var earliest: UInt64 {
    var earliest = cycles[0]
    for index in 1..<cycles.scalarCount { earliest = Swift.min(earliest, cycles[index]) }
    return earliest
  }
}
