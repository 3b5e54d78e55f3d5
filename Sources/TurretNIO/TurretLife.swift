import Aim
import NIOCore
import Network
import Sketches
import TurretLink

/// Carries out on an event loop what a `TurretLink` decides. Used only on its loop.
final class TurretLife: CommandLinkOwner {
  private enum Phase: Hashable {
    case away, connecting
    /// Connected; the other end has not accepted it.
    case answering
    case open
    /// Closing in order, at the latest until then.
    case closing(until: Instant)
  }

  private let connection: TargetLink
  private let stopTime: Interval
  private let show: @Sendable (TurretLink.Status) -> Void
  private let alarm: LoopAlarm
  private var link: TurretLink
  /// Sending a command can end its connection before the call returns.
  private var inbox = Inbox<TurretLink.Event>()
  /// Attempts and connections that have not ended.
  private var openCount = 0
  private var phase = Phase.away
  /// Attempts under way that were given up. It does not matter of which attempt a result is: all
  /// but the last are discarded.
  private var staleCount = 0
  private var endings: [EventLoopPromise<Void>] = []
  private let loop: any EventLoop

  init(
    on connection: TargetLink, stopTime: Interval, _ settings: TurretLink.Settings,
    _ loop: any EventLoop,
    show: @escaping @Sendable (TurretLink.Status) -> Void
  ) {
    self.connection = connection
    self.stopTime = stopTime
    self.show = show
    self.loop = loop
    alarm = LoopAlarm(on: loop)
    link = TurretLink(settings)
  }

  func handle(_ event: TurretLink.Event) {
    guard inbox.put(event) else { return }
    while let event = inbox.next() {
      link.handle(event, at: Instant.uptime.seconds).forEach(carryOut)
    }
    wait()
  }

  private func wait() {
    var deadline = link.waitUntil.map { Instant(seconds: $0) }
    if case .closing(let until) = phase { deadline = min(deadline ?? until, until) }
    alarm.set(deadline) { [weak self] in self?.passed() }
  }

  private func passed() {
    if case .closing(let until) = phase, until <= .uptime { cut() }
    handle(.passed)
  }

  private func cut() {
    phase = .away
    connection.carryOut(.cut, for: self)
  }

  /// Completes when no connection is left.
  func ended() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    endings.append(promise)
    tellIfOver()
    return promise.futureResult
  }

  private func carryOut(_ action: TurretLink.Action) {
    switch action {
    case .connect:
      // It was started again, so those who stopped it wait for nothing.
      tellStopped()
      if case .closing = phase { cut() }
      openCount += 1
      phase = .connecting
      connection.carryOut(.connect, for: self)
    case .send(let command):
      connection.send(command.bytes)
      handle(.room(connection.isWritable))
    case .close:
      switch phase {
      case .away, .closing: break
      case .answering: cut()
      case .connecting:
        staleCount += 1
        phase = .away
      case .open:
        phase = .closing(until: .uptime + stopTime)
        connection.close()
      }
    case .show(let status): show(status)
    }
  }

  // MARK: Events of the connection

  func take(_ event: Reconnection.Event) {
    switch event {
    case .connected where staleCount > 0:
      staleCount -= 1
      connection.carryOut(.discard, for: self)
    case .connected:
      phase = .answering
      connection.carryOut(.greet, for: self)
    case .opened where phase == .answering:
      phase = .open
      handle(.connected)
    case .refused where staleCount > 0:
      staleCount -= 1
      openCount -= 1
    case .refused(let why):
      openCount -= 1
      end(why)
    case .lost(let why): if phase != .connecting { end(why) }
    case .closed: openCount -= 1
    default: break
    }
    tellIfOver()
  }

  func hasRoom() { handle(.room(true)) }

  func received(_ message: [UInt8], _ kind: MessageKind) {
    if phase == .open { handle(.message(String(decoding: message, as: UTF8.self))) }
  }

  private func end(_ why: String?) {
    let wasClosing = if case .closing = phase { true } else { false }
    guard phase != .away else { return }
    phase = .away
    if !wasClosing { handle(.closed(why)) }
  }

  private func tellIfOver() {
    guard openCount == 0, link.status.connection == .ended else { return }
    // The link keeps its owner until then; `connect` sets it again.
    connection.carryOut(.finish, for: self)
    tellStopped()
  }

  private func tellStopped() {
    for promise in endings { promise.succeed() }
    endings = []
  }
}
