/// A generic operation on one peripheral. The compiler specializes it for each of them, so that the
/// only decision at run time is which one to call.
protocol PeripheralVisitor {
  /// `Peripherals` for reading; a pointer to them for changes.
  associatedtype Chip
  associatedtype Outcome

  mutating func visit<P: Peripheral>(_ peripheral: P.Type, _ chip: Chip) -> Outcome
}
