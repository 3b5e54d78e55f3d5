/// The value of a note.
package enum WaveValue: Hashable, Sendable {
  /// Empty while there is nothing to show.
  case text(String)
  case number(Double)
}
