/// When the connection closes and opens with the app.
///
/// A locked phone puts the app into the background. `inactive` is a moment in between, and a call or
/// the control centre over the app: the camera goes on, and so does the connection.
public struct Lifecycle: Hashable, Sendable {
  public enum Phase: Hashable, Sendable, CaseIterable {
    case active, inactive, background
  }

  public enum Step: Hashable, Sendable {
    case sleep, wake
  }

  public private(set) var isAsleep = false

  public init() {}

  /// Returns what to do; nil if nothing changes.
  public mutating func enter(_ phase: Phase) -> Step? {
    switch phase {
    case .inactive: return nil
    case .background:
      guard !isAsleep else { return nil }
      isAsleep = true
      return .sleep
    case .active:
      guard isAsleep else { return nil }
      isAsleep = false
      return .wake
    }
  }
}
