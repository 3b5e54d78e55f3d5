import Traces
import Turret

/// A report about a recording in parts.
enum RecordingNews: Hashable {
  case trouble(RecordingTrouble)
  /// The recording works again. This many events are missing from it.
  case again(missing: Int)
  /// The file was moved, and a new part has begun.
  case moved
  /// The file was deleted with this many events, and a new part has begun.
  case replaced(events: Int)

  /// Returns the report in one line. `retryPeriod` is the time between two attempts.
  func text(_ path: String, retryPeriod: Interval) -> String {
    switch self {
    case .trouble(let trouble):
      let consequence = trouble.consequence(retryTime: "\(String(shortest: retryPeriod)) s")
      return "\(path): error: \(trouble.text); \(consequence)"
    case .again(let missing):
      return "\(path): recording again" + (missing > 0 ? "; \(Self.missing(missing))" : "")
    case .moved: return "\(path): the recording was moved; a new part was started"
    case .replaced(let events): return "\(path): \(Self.deleted(events)); a new part was started"
    }
  }

  static func deleted(_ count: Int) -> String {
    "the recording was deleted, and \(events(count)) with it"
  }

  static func missing(_ count: Int) -> String {
    "\(events(count)) \(count == 1 ? "is" : "are") missing"
  }

  private static func events(_ count: Int) -> String { String(counting: count, "event") }
}
