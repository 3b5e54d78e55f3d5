public import Aim
public import Foundation
public import TurretLink

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A connection to the gateway for apps on Apple's systems, with `URLSessionWebSocketTask`. It
/// carries out what its `TurretLink` decides.
///
/// Only the failure to connect has been run: Foundation's WebSocket on Linux has no library to use.
/// The rest is compiled, and has never run on a phone.
@MainActor
public final class TurretSocket {
  private let address: URL
  private let show: @MainActor (TurretLink.Status) -> Void
  private let session: URLSession
  private let birth = ContinuousClock.now
  private var link: TurretLink
  /// The attempt to connect, or the connection.
  private var task: URLSessionWebSocketTask?
  private var alarm: Task<Void, Never>?
  /// `show` can cause the next event before the present one has been carried out.
  private var waiting: [TurretLink.Event] = []
  private var isHandling = false

  /// - Parameters:
  ///   - address: `ws://NAME.local:12354/`, or `wss://` for a gateway with a certificate that the
  ///     phone trusts.
  ///   - token: what the gateway requires of its clients, if it does.
  ///   - settings: the limits of rate and time.
  ///   - show: is called with each change of the status.
  public init(
    to address: URL, token: String? = nil,
    settings: TurretLink.Settings = TurretLink.Settings(),
    show: @escaping @MainActor (TurretLink.Status) -> Void
  ) {
    self.address =
      token.map { address.appending(queryItems: [URLQueryItem(name: "token", value: $0)]) }
      ?? address
    self.show = show
    link = TurretLink(settings)
    let listener = Listener()
    session = URLSession(configuration: .ephemeral, delegate: listener, delegateQueue: .main)
    listener.owner = self
  }

  /// The session keeps its delegate until then.
  deinit { session.invalidateAndCancel() }

  public var status: TurretLink.Status { link.status }

  /// Connects, and stays connected until `stop`.
  public func start() { handle(.start) }

  public func send(_ command: TurretCommand) { handle(.send(LinkCommand(command))) }

  /// To be called when the app goes to the background or the phone is locked.
  public func sleep() { handle(.sleep) }

  public func wake() { handle(.wake) }

  public func stop() { handle(.stop) }

  // MARK: -

  private func handle(_ event: TurretLink.Event) {
    waiting.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !waiting.isEmpty { link.handle(waiting.removeFirst(), at: now).forEach(carryOut) }
    isHandling = false
    wait()
  }

  private func carryOut(_ action: TurretLink.Action) {
    switch action {
    case .connect: connect()
    case .send(let command): send(command.bytes)
    case .close:
      task?.cancel(with: .goingAway, reason: nil)
      task = nil
    case .show(let status): show(status)
    }
  }

  private var now: Double {
    let time = birth.duration(to: .now).components
    return Double(time.seconds) + Double(time.attoseconds) / 1e18
  }

  private func wait() {
    alarm?.cancel()
    guard let due = link.waitUntil else { return }
    let wait = Duration.seconds(max(0, due - now))
    alarm = Task { [weak self] in
      guard (try? await Task.sleep(for: wait)) != nil else { return }
      self?.handle(.passed)
    }
  }

  private func connect() {
    let task = session.webSocketTask(with: address)
    self.task = task
    task.resume()
    // Without a pending read a broken connection would go unnoticed.
    Task { [weak self] in
      do {
        while true {
          let message = try await task.receive()
          guard case .string(let text) = message else { continue }
          self?.report(.message(text), of: task)
        }
      } catch {
        self?.report(.closed(error.localizedDescription), of: task)
      }
    }
  }

  private func send(_ bytes: [UInt8]) {
    guard let task else { return }
    let text = String(validating: bytes, as: UTF8.self)
    // In this form, because tasks of their own could overtake each other.
    task.send(text.map { .string($0) } ?? .data(Data(bytes))) { [weak self] error in
      guard let why = error?.localizedDescription else { return }
      Task { @MainActor in self?.report(.closed(why), of: task) }
    }
  }

  /// What is reported of a connection that has been closed, or of an earlier one, is ignored.
  fileprivate func report(_ event: TurretLink.Event, of task: URLSessionTask) {
    guard task === self.task else { return }
    if case .closed = event { self.task = nil }
    handle(event)
  }
}

/// Reports when a connection is open. All calls are made on the main queue.
private final class Listener: NSObject, URLSessionWebSocketDelegate, @unchecked Sendable {
  /// Set once, before any task exists.
  weak var owner: TurretSocket?

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?
  ) {
    MainActor.assumeIsolated { owner?.report(.connected, of: webSocketTask) }
  }

  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    let said = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let why = "it closed with \(closeCode.rawValue)" + (said.isEmpty ? "" : ": \(said)")
    MainActor.assumeIsolated { owner?.report(.closed(why), of: webSocketTask) }
  }
}
