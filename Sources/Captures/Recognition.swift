/// How surely the beginning of a file shows a kind of recording.
package enum Recognition: Hashable, Sendable {
  /// It is something else.
  case no
  /// It could be this kind, but other kinds look the same.
  case possible
  /// Nothing else begins like this.
  case certain
}
