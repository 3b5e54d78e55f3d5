/// Something to be done with one peripheral, whichever it is. The compiler makes a function for
/// each of them, so that the only decision at run time is which.
protocol PeripheralVisitor {
  /// `Peripherals` where they are only looked at, a pointer to them where they are changed.
  associatedtype Chip
  associatedtype Outcome

  mutating func visit<P: Peripheral>(_ peripheral: P.Type, _ chip: Chip) -> Outcome
}
