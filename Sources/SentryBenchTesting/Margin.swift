/// How far a value can be from the expected one, in the same unit.
public struct Margin: Sendable {
  let width: Double
}

prefix operator ±

/// A margin on both sides: `.shaft(110, ±2)`.
public prefix func ± (width: Double) -> Margin { Margin(width: width) }
