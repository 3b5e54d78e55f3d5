import Engine
package import Logging
package import NIOCore
import Sketches
import TurretLink

/// Passes the clients' pictures to a detector, and its answers to the clients. Carries out what
/// `PictureRelay` decides. Used only on the event loop.
///
/// Pictures show people. They are kept only until they have been sent, and are never logged.
package final class PictureCourier: DetectorOwner {
  private let plan: DetectorPlan
  private let loop: any EventLoop
  private let log: Logger
  private var connection: DetectorConnection?
  private var relay: PictureRelay
  /// Sending to a client or to the detector can cause the next event before the call returns.
  private var inbox = Inbox<PictureRelay.Event>()
  private let alarm: LoopAlarm
  private var clients: [ClientID: any Client] = [:]
  private var controller: ClientID?
  /// The last state that was logged, so that an absent detector is reported once.
  private var reported: DetectorState?

  package init(_ plan: DetectorPlan, on loop: any EventLoop, log: Logger) {
    self.plan = plan
    self.loop = loop
    self.log = log
    relay = PictureRelay(plan.limits)
    alarm = LoopAlarm(on: loop)
  }

  var counts: PictureCounts { relay.counts }

  /// Connects to the detector. Cannot fail, because it keeps trying until the detector is
  /// reachable.
  package func start() {
    guard connection == nil else { return }
    let connection = DetectorConnection(
      to: plan.target, settings: plan.connection, on: loop, for: self)
    self.connection = connection
    connection.start()
  }

  /// Completes when no connection to the detector is left.
  package func stop() -> EventLoopFuture<Void> {
    handle(.away)
    return connection?.stop() ?? loop.makeSucceededVoidFuture()
  }

  // MARK: Clients

  /// A client that can send pictures has joined.
  func joined(_ client: any Client) {
    clients[client.id] = client
    handle(.joined(client.id))
  }

  func received(_ picture: [UInt8], from client: any Client) {
    handle(.received(picture, from: client.id))
  }

  func left(_ client: any Client) {
    guard clients.removeValue(forKey: client.id) != nil else { return }
    handle(.left(client.id))
  }

  /// Sets the client in control, whether it sends pictures or not.
  func setController(_ id: ClientID?) {
    guard id != controller else { return }
    controller = id
    handle(.controller(id))
  }

  // MARK: The detector

  package func changed(_ state: DetectorState) {
    report(state)
    switch state {
    case .ready: handle(.ready)
    case .away: handle(.away)
    }
  }

  package func received(_ message: [UInt8], _ kind: MessageKind) {
    handle(.answered(message, kind))
  }

  // MARK: One event at a time

  private func handle(_ event: PictureRelay.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in relay.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(relay.nextDeadline) { [weak self] in self?.handle(.passed) }
  }

  private func carryOut(_ action: PictureRelay.Action) {
    switch action {
    case .tell(let message, let id): clients[id]?.send(message.json, as: .text)
    case .answer(let answer, let id): clients[id]?.send(answer.json, as: .text)
    case .send(let picture): connection?.send(picture)
    case .reject(let why): connection?.reject(why)
    }
  }

  private func report(_ state: DetectorState) {
    guard state != reported else { return }
    reported = state
    let place = "\(plan.target.endpoint)"
    switch state {
    case .ready: log.info("detector ready", metadata: ["detector": "\(place)"])
    case .away(let why):
      log.warning("detector away", metadata: ["detector": "\(place)", "why": "\(why)"])
    }
  }
}

/// The detector to which clients' pictures are passed, and within which limits.
package struct DetectorPlan: Sendable {
  package let target: SenderTarget
  var connection = SenderSettings.detector
  var limits = PictureLimits()

  /// Parses `ws://HOST:PORT`.
  ///
  /// - Parameter allowsRemote: whether the detector can be on another computer.
  /// - Throws: `usage`.
  package init(_ text: String, allowsRemote: Bool = false) throws(NetworkError) {
    guard let target = try? SenderTarget(text), target.isPlainWebSocket else {
      throw NetworkError(
        .usage,
        "error: \"\(text)\" is not the address of a detector; expected ws://HOST:PORT, for example "
          + "ws://127.0.0.1:5900")
    }
    guard target.endpoint.isLoopback || allowsRemote else {
      throw NetworkError(
        .usage,
        "error: the detector at \(target.endpoint) is on another computer, and pictures of people "
          + "would reach it without encryption: give `--allow remote-detector` to pass them all "
          + "the same, or run it on this computer")
    }
    self.target = target
  }

  /// A warning for the log; nil if the detector is on this computer.
  package var warning: String? {
    let place = target.endpoint
    return place.isLoopback ? nil : "pictures are passed to \(place) without encryption"
  }
}
