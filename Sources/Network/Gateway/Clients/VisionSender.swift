import Engine
import Logging
import NIOCore
import Sketches
import TurretLink

/// The robot vision phone as a client: follows it over TCP, and turns its readings into commands.
/// Carries out what `VisionFollower` decides. Used only on its event loop. Once started, it exists
/// until it is stopped.
final class VisionSender: Client, CommandLinkOwner {
  let id = ClientID(0)
  let transport = Transport.tcp
  var address: String { "\(plan.endpoint)" }
  let isWritable = true
  var isReading = true

  private let plan: FollowPlan
  private let clients: NetworkClients
  private let loop: any EventLoop
  private let log: Logger
  private let link: TargetLink
  private(set) var follower: VisionFollower
  /// Writing to the phone can cause its next answer before the call returns.
  private var inbox = Inbox<VisionFollower.Event>()
  private let alarm: LoopAlarm

  init(_ plan: FollowPlan, clients: NetworkClients, on loop: any EventLoop, log: Logger) {
    self.plan = plan
    self.clients = clients
    self.loop = loop
    self.log = log
    link = TargetLink(to: SenderTarget(tcp: plan.endpoint), plan.settings.connection, nil, on: loop)
    follower = VisionFollower(plan.settings, seed: .random(in: .min ... .max))
    alarm = LoopAlarm(on: loop)
  }

  /// Cannot fail, because it keeps trying until the phone is reachable.
  func start() {
    loop.preconditionInEventLoop()
    clients.joined(self)
    handle(.link(.start))
  }

  /// Stops following. Sends nothing to the turret. Completes when no connection or attempt is left.
  func stop() -> EventLoopFuture<Void> {
    let end = link.awaitEnd()
    handle(.link(.end))
    return end
  }

  // The board's answers, and notices about its commands, are for people.
  func send(_ bytes: [UInt8], as kind: MessageKind) {
    log.debug(
      "reply to the phone's sender",
      metadata: ["text": "\(String(decoding: bytes, as: UTF8.self))"])
  }
  func send(prepared frame: ByteBuffer) {}

  // MARK: The phone

  func take(_ event: Reconnection.Event) { handle(.link(event)) }

  func received(_ bytes: [UInt8], _ kind: MessageKind) { handle(.received(bytes)) }

  private func handle(_ event: VisionFollower.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in follower.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(follower.nextDeadline) { [weak self] in self?.handle(.link(.passed)) }
  }

  private func carryOut(_ action: VisionFollower.Action) {
    switch action {
    case .link(let action): link.carryOut(action, for: self)
    case .write(let text): link.send(Array(text.utf8))
    case .send(let command):
      clients.received(command, from: self)
      clients.receivedAll()
    case .say(let remark):
      log.log(
        level: remark.isWarning ? .warning : .info, "\(remark)", metadata: ["phone": "\(address)"])
    }
  }
}

/// The robot vision phone to follow, and how.
package struct FollowPlan: Sendable {
  package var endpoint: Endpoint
  package var settings: FollowSettings

  package init(endpoint: Endpoint, settings: FollowSettings) {
    self.endpoint = endpoint
    self.settings = settings
  }
}
