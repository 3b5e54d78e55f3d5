/// The order of a sweep's angles: a triangle from 20 to 160 degrees whose ends are written twice.
///
/// 282 steps a cycle: 160 ends the climb and begins the descent, 20 ends the descent and begins the
/// next climb.
public struct Sweep: Hashable, Sendable {
  public static let lowest: UInt8 = 20
  public static let highest: UInt8 = 160

  /// The angle the next step writes, degrees.
  public var next: UInt8
  /// Whether the sweep climbs.
  public var isRising: Bool

  /// A sweep begins at the servo's present angle and climbs; from above 160 it jumps there and
  /// descends.
  @inlinable public init(from present: UInt8) {
    isRising = present <= Sweep.highest
    next = isRising ? present : Sweep.highest
  }

  /// Moves on from the angle that was just written. Returns true at the bottom, where the classic
  /// sketch reads the present angle back and begins again.
  @inlinable public mutating func advance() -> Bool {
    if isRising {
      if next == Sweep.highest { isRising = false } else { next &+= 1 }
      return false
    }
    if next == Sweep.lowest {
      isRising = true
      return true
    }
    next &-= 1
    return false
  }
}

// The chip's compiler has no `Codable`, and nothing there is written down.
#if !hasFeature(Embedded)
  extension Sweep: Codable {}
#endif
