import SystemPackage

/// Why a recording in parts is incomplete or not divided.
enum RecordingTrouble: Hashable {
  /// The present part cannot be written.
  case unwritable(Errno)
  /// The present part continues, because a new one cannot be created.
  case noNewPart(Errno)
  /// The present part was deleted with this many events, and a new one cannot be created.
  case deleted(events: Int, Errno)

  var text: String {
    switch self {
    case .unwritable(let error): "cannot be written: \(error)"
    case .noNewPart(let error): "a new part cannot be started: \(Self.text(error))"
    case .deleted(let events, let error):
      "\(RecordingNews.deleted(events)), and a new part cannot be started: \(Self.text(error))"
    }
  }

  /// Returns the consequence. `retryTime` is the time between two attempts.
  func consequence(retryTime: String) -> String {
    switch self {
    case .unwritable, .deleted:
      "the session continues without being recorded, retrying every \(retryTime)"
    case .noNewPart:
      "recording continues in the same file, retrying a new part every \(retryTime)"
    }
  }

  private static func text(_ error: Errno) -> String {
    error == .wouldBlock ? "another bench is recording to this file" : "\(error)"
  }
}
