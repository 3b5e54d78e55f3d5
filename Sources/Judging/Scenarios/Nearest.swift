/// The search for the known name that an unknown name was probably meant to be.
package enum Nearest {
  /// Returns the name with the fewest characters inserted, deleted, replaced or swapped with the
  /// next; nil if none is similar. A typing error is at most two changes, one in a short word.
  package static func name(to unknown: String, among names: [String]) -> String? {
    var best: (name: String, changes: Int)?
    for name in names {
      let changes = changes(from: Array(unknown.utf8), to: Array(name.utf8))
      if changes < best?.changes ?? .max { best = (name, changes) }
    }
    guard let best, best.changes <= min(2, unknown.utf8.count / 2) else { return nil }
    return best.name
  }

  /// Returns a remark on the name that was probably meant; empty if none is similar.
  package static func remark(on unknown: String, among names: [String]) -> String {
    name(to: unknown, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
  }

  /// Returns the number of changes. A name of 100 bytes or more, longer than any known one, is not
  /// compared.
  private static func changes(from a: [UInt8], to b: [UInt8]) -> Int {
    guard a.count < 100, b.count < 100 else { return .max }
    // For each beginning of `b`: the changes from the bytes of `a` before the last two, the last
    // one, and all so far.
    var (older, old, row) = ([Int](), [Int](), Array(0...b.count))
    for i in a.indices {
      (older, old) = (old, row)
      row[0] = i + 1
      for j in b.indices {
        row[j + 1] = min(old[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, old[j + 1] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          row[j + 1] = min(row[j + 1], older[j - 1] + 1)
        }
      }
    }
    return row[b.count]
  }
}
