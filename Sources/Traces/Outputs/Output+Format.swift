package import Turret

extension Output {
  /// Whether a verification treats the two as equal: a pulse within 3 us, a tone within 1 % of the
  /// expected one, everything else exactly.
  package func matches(_ found: Output) -> Bool {
    // By far the most frequent answer, and the formats are closures.
    if self == found { return true }
    return kind == found.kind && kind.format.matches(self, found)
  }

  /// Whether the output switches something on, or off; nil if it does not switch anything.
  package var isOn: Bool? { kind.format.isOn(self) }
}

extension Output: CustomStringConvertible {
  /// The output as a report shows it.
  package var description: String { kind.format.describe(self) }
}
