/// The numbers of outputs in which a trace and a device agree and differ.
package struct Tally: Hashable, Sendable {
  /// Same value, within the tolerance.
  package var matched = 0
  /// Same value, outside the tolerance.
  package var moved = 0
  /// Expected, not found.
  package var missing = 0
  /// Found, not expected.
  package var extra = 0

  package init(matched: Int = 0, moved: Int = 0, missing: Int = 0, extra: Int = 0) {
    self.matched = matched
    self.moved = moved
    self.missing = missing
    self.extra = extra
  }

  package static func + (a: Tally, b: Tally) -> Tally {
    Tally(
      matched: a.matched + b.matched, moved: a.moved + b.moved, missing: a.missing + b.missing,
      extra: a.extra + b.extra)
  }
}
