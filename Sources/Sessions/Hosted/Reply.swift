import Synchronization

/// The answer to one request, and the task that waits for it. Only the first answer counts.
final class Reply: Sendable {
  private enum State {
    case empty
    case awaited(CheckedContinuation<APIMessage?, Never>)
    case taken(APIMessage?)
    case delivered
  }

  private let state = Mutex(State.empty)

  func wait(_ continuation: CheckedContinuation<APIMessage?, Never>) {
    let taken = state.withLock { state -> APIMessage?? in
      if case .taken(let message) = state {
        state = .delivered
        return .some(message)
      }
      state = .awaited(continuation)
      return nil
    }
    if let taken { continuation.resume(returning: taken) }
  }

  /// The answer that no task waits for; nil until there is one.
  var taken: APIMessage? {
    state.withLock { state in
      if case .taken(let message) = state { message } else { nil }
    }
  }

  /// Takes the answer; nil if the task was cancelled.
  func take(_ message: APIMessage?) {
    let waiting = state.withLock { state -> CheckedContinuation<APIMessage?, Never>? in
      switch state {
      case .empty:
        state = .taken(message)
        return nil
      case .awaited(let continuation):
        state = .delivered
        return continuation
      case .taken, .delivered: return nil
      }
    }
    waiting?.resume(returning: message)
  }
}
