extension String {
  /// The text with spaces behind it, for a column that is so many characters wide.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
