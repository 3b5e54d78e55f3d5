import Engine
import Platform
import Synchronization
import SystemPackage
import Traces

/// The connection between a session and a client in the same process. Requests can be made on any
/// thread; the session's thread takes them.
///
///     open --the session is over--> closed
final class Mailbox: APIConnection, Sendable {
  typealias Handler = @Sendable (APIMessage) -> Void

  private struct State {
    var requests: [SessionInput] = []
    /// What to do with the answers to requests.
    var handlers: [APIRequest.ID: Handler] = [:]
    var requestCount = 0
    var remarks: [String] = []
    /// How the session ended; nil until then.
    var end: APIEnd?
    /// Why no more requests are taken; nil while they are.
    var closing: String?
  }

  /// The maximum number of requests without an answer.
  private static let openMax = 10_000
  /// The maximum number of the session's remarks that are kept.
  private static let remarksMax = 100

  private let state = Mutex(State())
  /// A byte in this pipe wakes the session.
  private let pipe: (readEnd: CInt, writeEnd: CInt)
  private let system: any SystemCalls

  init(on system: any SystemCalls = HostSystem.shared) throws(Failure) {
    self.system = system
    do throws(Errno) {
      pipe = try system.pipe()
    } catch {
      throw Failure(.unavailable, "error: cannot create a pipe to wake the bench: \(error)")
    }
    for end in [pipe.readEnd, pipe.writeEnd] { system.makeNonblocking(end) }
  }

  deinit {
    system.close(pipe.readEnd)
    system.close(pipe.writeEnd)
  }

  // MARK: The client

  /// Makes a request. `handler` is called once, on the session's thread or at once.
  func ask(_ request: APIRequest, _ handler: @escaping Handler) {
    let refusal = state.withLock { state -> String? in
      if let closing = state.closing { return closing }
      guard state.handlers.count < Self.openMax else {
        return "\(Self.openMax) requests have no answer yet; a session can have no more"
      }
      let id = APIRequest.ID.number("\(state.requestCount)")
      state.requestCount += 1
      state.requests.append(.request(id, request))
      state.handlers[id] = handler
      return nil
    }
    if let refusal { return handler(.refusal(APIRequest.Mistake(id: nil, message: refusal))) }
    // If the pipe is full, the session is about to call `look`.
    try? system.writeAll(pipe.writeEnd, [0])
  }

  /// How the session ended; nil if it has not been judged.
  var end: APIEnd? { state.withLock { $0.end } }
  /// What the session has reported to its user.
  var remarks: [String] { state.withLock { $0.remarks } }

  // MARK: The session

  let path: String? = nil
  let backlog = 0
  let needsRetry = false
  var descriptors: [FileDescriptor] { [FileDescriptor(rawValue: pipe.readEnd)] }

  func look() -> [SessionInput] {
    while let bytes = try? system.read(pipe.readEnd, upTo: 256), bytes.count == 256 {}
    return state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  func put(_ message: APIMessage) {
    let handler = state.withLock { state -> Handler? in
      switch message {
      case .answer(let id, let answer):
        if case .over(let end) = answer { state.end = end }
        return state.handlers.removeValue(forKey: id)
      case .refusal(let mistake):
        return mistake.id.flatMap { state.handlers.removeValue(forKey: $0) }
      case .over(let end): state.end = end
      // The end reports every failure, and this client does not subscribe.
      case .verdict, .events, .lost: break
      }
      return nil
    }
    handler?(message)
  }

  /// Keeps what the session reports to its user.
  func add(remark: String) {
    state.withLock { if $0.remarks.count < Self.remarksMax { $0.remarks.append(remark) } }
  }

  func flush() {}
  func drop() {}
  func finish() { close("the session is over") }

  /// Refuses all further requests, and those without an answer.
  func close(_ why: String) {
    let handlers = state.withLock { state in
      state.closing = state.closing ?? why
      defer { state.handlers = [:] }
      return state.handlers.values
    }
    for handler in handlers { handler(.refusal(APIRequest.Mistake(id: nil, message: why))) }
  }
}

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
