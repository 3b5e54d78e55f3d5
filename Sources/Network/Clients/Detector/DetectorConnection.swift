package import NIOCore
import Sketches
import Traces
package import TurretLink

/// Uses the connection to a detector. All calls are made on its event loop.
package protocol DetectorOwner: AnyObject {
  /// The detector is ready or away. Each of several failures in a row is reported; the end after
  /// `stop()` is not.
  func changed(_ state: DetectorState)
  /// A detector that is ready has sent a message.
  func received(_ message: [UInt8], _ kind: MessageKind)
}

/// Whether a detector answers.
package enum DetectorState: Hashable, Sendable {
  /// It has answered the hello.
  case ready
  /// There is no connection to it, for this reason. The next attempt follows after a while.
  case away(String)
}

/// The connection to a detector, which is re-established after a failure. Carries out what
/// `DetectorLife` decides. Used only on its event loop. Once started, it exists until it is
/// stopped.
package final class DetectorConnection: CommandLinkOwner {
  private let loop: any EventLoop
  private weak var owner: (any DetectorOwner)?
  private let link: TargetLink
  private var life: DetectorLife
  /// Writing can end the connection before the call returns.
  private var inbox = Inbox<DetectorLife.Event>()
  private let alarm: LoopAlarm

  /// `target`: the detector's address, `ws://`.
  init(
    to target: SenderTarget, settings: SenderSettings = .detector, on loop: any EventLoop,
    for owner: any DetectorOwner
  ) {
    self.loop = loop
    self.owner = owner
    link = TargetLink(to: target, settings, nil, on: loop)
    life = DetectorLife(settings, seed: .random(in: .min ... .max))
    alarm = LoopAlarm(on: loop)
  }

  /// Cannot fail, because it keeps trying until the detector is reachable.
  package func start() {
    loop.preconditionInEventLoop()
    handle(.link(.start))
  }

  /// Sends a picture. Has no effect while the detector is not ready.
  package func send(_ picture: [UInt8]) {
    loop.preconditionInEventLoop()
    if life.isReady { link.send(picture, as: .binary) }
  }

  /// Ends the present connection, and makes another one after a while.
  package func reject(_ why: String) {
    loop.preconditionInEventLoop()
    handle(.rejected(why))
  }

  /// Completes when no connection or attempt is left.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    let end = link.awaitEnd()
    handle(.link(.end))
    return end
  }

  package func take(_ event: Reconnection.Event) { handle(.link(event)) }

  package func received(_ message: [UInt8], _ kind: MessageKind) {
    handle(.received(message, kind))
  }

  // MARK: One event at a time

  private func handle(_ event: DetectorLife.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      for action in life.handle(event, at: .uptime) { carryOut(action) }
    }
    alarm.set(life.nextDeadline) { [weak self] in self?.handle(.link(.passed)) }
  }

  private func carryOut(_ action: DetectorLife.Action) {
    switch action {
    case .link(let action): link.carryOut(action, for: self)
    case .sayHello: link.send(DetectorGreeting.hello)
    case .deliver(let message, let kind): owner?.received(message, kind)
    case .report(let state): owner?.changed(state)
    }
  }
}

/// Decides how the connection to a detector is maintained: how it begins, when the detector is
/// ready, and what is passed on. When to connect is decided by its `Reconnection`, for which a
/// connection is open when the detector has answered the hello. The time limit for that answer
/// begins with the connection. `DetectorConnection` carries out the decisions.
struct DetectorLife {
  enum Event: Hashable {
    /// `opened`: the detector has accepted the WebSocket.
    case link(Reconnection.Event)
    case received([UInt8], MessageKind)
    /// The owner of the connection rejects it, for this reason.
    case rejected(String)
  }

  enum Action: Hashable {
    case link(Reconnection.Action)
    case sayHello
    /// Pass on a message from a detector that is ready.
    case deliver([UInt8], MessageKind)
    case report(DetectorState)
  }

  private var connection: Reconnection
  /// Whether the hello was sent on this connection.
  private var hasGreeted = false

  init(_ settings: SenderSettings, seed: UInt64?) {
    connection = Reconnection(settings, seed: seed)
  }

  /// When `.link(.passed)` must follow if nothing else happens; nil if nothing is awaited.
  var nextDeadline: Instant? { connection.nextDeadline }

  var isReady: Bool { connection.isOpen }

  mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    switch event {
    case .link(.opened):
      guard connection.isAnswering, !hasGreeted else { return [] }
      hasGreeted = true
      return [.sayHello]
    case .link(let event): return take(event, at: now)
    case .received(let message, let kind):
      if isReady { return [.deliver(message, kind)] }
      guard connection.isAnswering, hasGreeted else { return [] }
      let flaw = DetectorGreeting.flaw(in: message, kind)
      return take(flaw.map { .givenUp($0) } ?? .opened, at: now)
    case .rejected(let why): return take(.givenUp(why), at: now)
    }
  }

  private mutating func take(_ event: Reconnection.Event, at now: Instant) -> [Action] {
    connection.handle(event, at: now).map { action in
      switch action {
      case .greet:
        hasGreeted = false
        return .link(action)
      case .ready: return .report(.ready)
      case .away(let why, _): return .report(.away(why))
      case .connect, .discard, .cut, .finish: return .link(action)
      }
    }
  }
}

/// The messages with which a connection to a detector begins (docs/detector.md).
enum DetectorGreeting {
  /// The version of the protocol.
  static let version = "1"

  /// The first message to a detector.
  static let hello = Array(#"{"hello": {"name": "sentrybench"}}"#.utf8)

  /// What is wrong with a detector's first message, in a few words; nil if it is the answer to the
  /// hello.
  static func flaw(in message: [UInt8], _ kind: MessageKind) -> String? {
    guard kind == .text, let answer = try? JSONValue.contents(of: message, path: "hello"),
      case .object? = answer["hello"]
    else { return "it does not answer as a detector" }
    guard case .number(let version)? = answer["hello"]?["protocol"] else {
      return "its answer has no version of the protocol"
    }
    // The text comes from outside and can be long.
    guard version == Self.version else {
      return "it speaks version \(PlainText.of(version, upTo: 20)) of the protocol, not "
        + Self.version
    }
    return nil
  }
}
