/// Where a scan is: a triangle between two angles whose ends are written twice.
///
/// The range is an argument, so that a saved position is only what changes. `Guarded.Sweep`, which
/// also runs on the chip, is the guarded sketch's own.
package struct ScanPosition: Hashable, Sendable, Savable {
  /// The angle that the next step writes, degrees.
  package var next: UInt8
  /// Whether the scan climbs.
  package var isRising: Bool

  /// A scan begins at the servo's present angle and climbs; from above the range it jumps to its
  /// top and descends.
  @inline(__always)
  package init(from present: UInt8, in range: ClosedRange<UInt8>) {
    isRising = present <= range.upperBound
    next = isRising ? present : range.upperBound
  }

  /// Moves on from the angle that was just written. Returns true at the bottom, where a blocking
  /// sketch reads the present angle back and begins again.
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

  /// Whether a scan can be here: a position that was read from a file may not be possible. A
  /// falling scan turns at the bottom; a rising one may come from below it.
  func isPossible(in range: ClosedRange<UInt8>) -> Bool {
    next <= range.upperBound && (isRising || next >= range.lowerBound)
  }
}
