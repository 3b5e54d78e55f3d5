import Pictures
import Traces
import Turret

/// Finds what has become of bytes since the page last took them.
struct ByteFates: Sendable {
  /// The fates that the page already has, for the bytes that are still in the ledger.
  private var shown: [Fate] = []
  /// The number of the first of these, from 0.
  private var first = 0

  /// Returns the bytes that are new or whose fate has changed: the number, the byte's name, the
  /// fate, its meaning, when the byte arrived, when the sketch took it, and whether it ended a
  /// scan.
  mutating func take(_ ledger: Ledger) -> JSONValue {
    let start = ledger.arrivals - ledger.entries.count
    if start > first {
      shown.removeFirst(min(shown.count, start - first))
      first = start
    }
    var news: [JSONValue] = []
    for (index, entry) in ledger.entries.enumerated() {
      if index < shown.count {
        if shown[index] == entry.fate { continue }
        shown[index] = entry.fate
      } else {
        shown.append(entry.fate)
      }
      news.append(
        .array([
          .number("\(start + index)"), .string(ByteText.name(entry.byte)),
          .string(entry.fate.rawValue),
          .string(entry.fate == .waiting ? "waits in the buffer" : entry.fate.meaning),
          .microseconds(entry.arrived), entry.taken.map { .microseconds($0) } ?? .null,
          .bool(entry.endedScan),
        ]))
    }
    return .array(news)
  }
}
