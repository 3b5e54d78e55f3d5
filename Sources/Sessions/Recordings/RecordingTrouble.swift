import SystemPackage

/// Why a recording in parts is incomplete, or in too few parts.
enum RecordingTrouble: Hashable {
  /// The present part takes no more.
  case unwritable(Errno)
  /// The present part is continued, as no new one can be begun.
  case noNewPart(Errno)
  /// The present part was deleted with so many events, and no new one can be begun.
  case deleted(events: Int, Errno)

  var text: String {
    switch self {
    case .unwritable(let error): "cannot be written: \(error)"
    case .noNewPart(let error): "a new part cannot be begun: \(Self.text(error))"
    case .deleted(let events, let error):
      "\(RecordingNews.deleted(events)), and a new part cannot be begun: \(Self.text(error))"
    }
  }

  /// What follows from it. `retryTime`: between two attempts.
  func consequence(retryTime: String) -> String {
    switch self {
    case .unwritable, .deleted:
      "the session goes on without being recorded, and that is tried again every \(retryTime)"
    case .noNewPart:
      "the recording goes on in the same file, and a new one is tried every \(retryTime)"
    }
  }

  private static func text(_ error: Errno) -> String {
    error == .wouldBlock ? "another bench is recording to this file" : "\(error)"
  }
}
