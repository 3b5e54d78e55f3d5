import Turret

/// A short text above the bytes: a group of nearby bytes that were not taken.
struct ByteCallout {
  /// The positions of the first and last byte of the group.
  private(set) var first: Double
  private(set) var last: Double
  private var counts: [(fate: Fate, byte: UInt8, count: Int)] = []

  /// Bytes further apart than this get separate callouts.
  private static let nearness = 48.0
  /// The maximum width, so that the text stays close to its bytes.
  private static let widest = 140.0

  private init(_ entry: Ledger.Entry, at x: Double) {
    first = x
    last = x
    add(entry, at: x)
  }

  /// Whether one of the bytes never reached the sketch.
  var hasLoss: Bool { counts.contains { $0.fate.isLost } }

  /// The text as one run for each fate, losses first.
  var runs: [(text: String, class: String?)] {
    let inOrder = counts.filter { $0.fate.isLost } + counts.filter { !$0.fate.isLost }
    return inOrder.enumerated().map { index, part in
      let what = part.count == 1 ? XMLText.byte(part.byte) : "\(part.count)"
      return ("\(index > 0 ? ", " : "")\(what) \(part.fate.caption)", part.fate.styleClass)
    }
  }

  private mutating func add(_ entry: Ledger.Entry, at x: Double) {
    last = x
    if let index = counts.firstIndex(where: { $0.fate == entry.fate }) {
      counts[index].count += 1
    } else {
      counts.append((entry.fate, entry.byte, 1))
    }
  }

  static func callouts(
    of entries: ArraySlice<Ledger.Entry>, in layout: Layout
  ) -> [ByteCallout] {
    var callouts: [ByteCallout] = []
    for entry in entries where !entry.fate.isTaken {
      let x = layout.x(entry.arrived)
      if let previous = callouts.last, x - previous.last < nearness, x - previous.first < widest {
        callouts[callouts.count - 1].add(entry, at: x)
      } else {
        callouts.append(ByteCallout(entry, at: x))
      }
    }
    return callouts
  }
}
