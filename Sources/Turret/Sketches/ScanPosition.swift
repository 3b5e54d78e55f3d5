/// The position in a scan: a triangle wave between two angles, each of which is written twice.
///
/// The range is an argument, so that a saved position holds only what changes. The guarded sketch
/// has its own, `Guarded.Sweep`, which also runs on the chip.
package struct ScanPosition: Hashable, Sendable, Savable {
  /// The angle that the next step writes, in degrees.
  package var next: UInt8
  /// Whether the angle is increasing.
  package var isRising: Bool

  /// Starts a scan at the servo's present angle, rising. From above the range, the scan jumps to
  /// its top and falls.
  @inline(__always)
  package init(from present: UInt8, in range: ClosedRange<UInt8>) {
    isRising = present <= range.upperBound
    next = isRising ? present : range.upperBound
  }

  /// Advances from the angle that was just written. Returns true at the bottom, where a blocking
  /// sketch reads the present angle back and starts again.
  @inline(__always)
  package mutating func advance(in range: ClosedRange<UInt8>) -> Bool {
    if isRising {
      if next == range.upperBound { isRising = false } else { next &+= 1 }
      return false
    }
    if next == range.lowerBound {
      isRising = true
      return true
    }
    next &-= 1
    return false
  }

  /// Whether this position is possible. A position read from a file may be invalid. A falling scan
  /// turns at the bottom; a rising one can start below it.
  func isPossible(in range: ClosedRange<UInt8>) -> Bool {
    next <= range.upperBound && (isRising || next >= range.lowerBound)
  }
}
