/// The sequence of angles in a sweep: a triangle from 20 to 160 degrees whose ends are written
/// twice.
///
/// A cycle has 282 steps: 160 ends the ascent and begins the descent; 20 ends the descent and
/// begins the next ascent.
public struct Sweep: Hashable, Sendable, Codable {
  public static let lowest: UInt8 = 20
  public static let highest: UInt8 = 160

  /// The angle that the next step writes, in degrees.
  public var next: UInt8
  /// Whether the sweep is ascending.
  public var isRising: Bool

  /// Starts a sweep at the servo's current angle, ascending. From above 160 it jumps there and
  /// descends.
  @inlinable public init(from present: UInt8) {
    isRising = present <= Sweep.highest
    next = isRising ? present : Sweep.highest
  }

  /// Moves on from the angle that was just written. Returns true at the bottom, where the classic
  /// sketch reads back the current angle and starts again.
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
