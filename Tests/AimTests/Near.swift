import Aim
import Testing

/// Expects equality except for the rounding of the arithmetic.
func expect(
  _ found: Box, near wanted: Box, within tolerance: Double = 1e-9,
  at location: SourceLocation = #_sourceLocation
) {
  let off = [
    found.x - wanted.x, found.y - wanted.y, found.width - wanted.width,
    found.height - wanted.height,
  ]
  #expect(
    off.allSatisfy { abs($0) <= tolerance }, "\(found), not \(wanted)", sourceLocation: location)
}

func expect(
  _ found: Point, near wanted: Point, within tolerance: Double = 1e-9,
  at location: SourceLocation = #_sourceLocation
) {
  #expect(
    abs(found.x - wanted.x) <= tolerance && abs(found.y - wanted.y) <= tolerance,
    "\(found), not \(wanted)", sourceLocation: location)
}
