/// The search for the known name that an unknown name was probably meant to be.
package enum Nearest {
  /// Returns the name with the fewest characters inserted, deleted or replaced; nil if none is
  /// similar. A typing error has at most two such changes, and fewer in a short word.
  package static func name(to unknown: String, among names: [String]) -> String? {
    var best: (name: String, changes: Int)?
    for name in names {
      let changes = changes(from: Array(unknown.utf8), to: Array(name.utf8))
      if changes < best?.changes ?? .max { best = (name, changes) }
    }
    guard let best, best.changes <= min(2, unknown.utf8.count / 2) else { return nil }
    return best.name
  }

  /// Returns the Levenshtein distance. A name of 100 bytes or more, longer than any known one, is
  /// not compared.
  private static func changes(from a: [UInt8], to b: [UInt8]) -> Int {
    guard a.count < 100, b.count < 100 else { return .max }
    var row = Array(0...b.count)
    for (index, byte) in a.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in b.indices {
        let cost = diagonal + (byte == b[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(cost, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[b.count]
  }
}
