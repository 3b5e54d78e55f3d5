import Bench
package import NIOCore
import NIOPosix
import Turret

/// Sends commands to a target, and finds it again when it is gone. Used on its event loop only.
/// Once started it lives until it is stopped.
///
/// While there is no connection, or the socket takes no more, the newest aim and the newest `L`
/// wait, in their order. A target that comes back is told the last command anew: it may have been
/// lost, and what is there now may never have had it.
package final class CommandSender {
  private enum Phase {
    case idle
    case connecting
    /// Connected; the server has not taken the connection yet.
    case handshake(SendingHandler)
    case open(SendingHandler, since: Instant)
    /// Until the next attempt.
    case resting
    case ended
  }

  package let target: SenderTarget
  private let settings: SenderSettings
  private let loop: any EventLoop
  private let tls: TLSLayer?
  private let onState: (SenderState) -> Void
  private let onNotice: (SenderNotice) -> Void
  private var phase = Phase.idle
  private var backOff: BackOff
  private var timer: Scheduled<Void>?
  private var waiting = WaitingCommands()
  /// The last that was sent of those that say what the turret is to do from now on.
  private var last: [UInt8]?
  /// Attempts and channels that have not ended, and who wants to know that there are none.
  private var openCount = 0
  private var ending: EventLoopPromise<Void>?
  package private(set) var counts = SenderCounts()
  /// Once it has ended: the newest command, where it still waited then, or the connection that it
  /// went by was lost; nil: it was sent.
  package private(set) var unsent: [UInt8]?

  /// - Parameters:
  ///   - onState: is told each change, on the loop; not its own end after `stop()`.
  ///   - onNotice: is given what the gateway tells, on the loop.
  /// - Throws: `noInput` or `malformed`, naming the file of certificates.
  package init(
    to target: SenderTarget, settings: SenderSettings = SenderSettings(), on loop: any EventLoop,
    onState: @escaping (SenderState) -> Void, onNotice: @escaping (SenderNotice) -> Void
  ) throws(GatewayError) {
    self.target = target
    self.settings = settings
    self.loop = loop
    self.onState = onState
    self.onNotice = onNotice
    tls =
      try target.kind == .secureWebSocket
      ? TLSLayer.trusting(authorities: target.authorities, closeTime: settings.stopTime) : nil
    backOff = BackOff(first: settings.backOffFirst, most: settings.backOffMost)
  }

  package var isConnected: Bool {
    if case .open = phase { true } else { false }
  }

  /// Commands that wait, at most two.
  package var waitingCount: Int { waiting.count }

  /// A target that is not there is waited for, so this cannot fail.
  package func start() {
    loop.preconditionInEventLoop()
    guard case .idle = phase else { return }
    connect()
  }

  /// One whole command, `X90.` or `L`. Any other is sent now or never.
  package func send(_ command: [UInt8]) {
    loop.preconditionInEventLoop()
    counts.given += 1
    let isPassing = WaitingCommands.Kind(command) == .passing
    if ending != nil || isPassing && !hasRoom {
      counts.dropped += 1
      if !isPassing { unsent = command }
    } else if waiting.put(command) {
      counts.replaced += 1
    }
    sendWaiting()
  }

  /// Sends what waits, within `stopTime` once there was a connection, and closes. Done when no
  /// connection or attempt is left.
  @discardableResult
  package func stop() -> EventLoopFuture<Void> {
    loop.preconditionInEventLoop()
    if let ending { return ending.futureResult }
    let ending = loop.makePromise(of: Void.self)
    self.ending = ending
    let bound = NIOLoopBound(self, eventLoop: loop)
    // One that was never there is given the time to be reached.
    let time =
      counts.connections > 0 ? settings.stopTime : settings.connectTime + settings.answerTime
    let cut = loop.scheduleTask(in: TimeAmount(time)) { bound.value.end() }
    ending.futureResult.whenComplete { _ in cut.cancel() }
    if isConnected {
      sendWaiting()
    } else if case .idle = phase {
      end()
    } else if waiting.isEmpty {
      end()
    }
    return ending.futureResult
  }

  // MARK: What the connection tells

  func opened(_ link: SendingHandler) {
    guard isPresent(link) else { return }
    timer?.cancel()
    phase = .open(link, since: .uptime)
    counts.connections += 1
    if waiting.isEmpty, let last {
      _ = waiting.put(last)
      counts.repeated += 1
      counts.sent -= 1
    }
    onState(.connected)
    sendWaiting()
  }

  func heard(_ notice: SenderNotice) {
    onNotice(notice)
  }

  func hasRoom(_ link: SendingHandler) {
    if isPresent(link) { sendWaiting() }
  }

  func ended(_ link: SendingHandler, _ why: String) {
    if isPresent(link) { lost(why) }
  }

  private func isPresent(_ link: SendingHandler) -> Bool { self.link === link }

  private var link: SendingHandler? {
    switch phase {
    case .handshake(let link), .open(let link, _): link
    case .idle, .connecting, .resting, .ended: nil
    }
  }

  private var hasRoom: Bool {
    if case .open(let link, _) = phase { link.isWritable && waiting.isEmpty } else { false }
  }

  // MARK: Sending

  private func sendWaiting() {
    // Looked at again for each: sending may find that the connection is lost.
    while case .open(let link, _) = phase, link.isWritable, let command = waiting.next() {
      if WaitingCommands.Kind(command) != .passing { last = command }
      counts.sent += 1
      link.send(command)
    }
    if ending != nil, waiting.isEmpty, case .open(let link, _) = phase { link.close() }
  }

  // MARK: Connecting

  private func connect() {
    phase = .connecting
    openCount += 1
    // First: an attempt can fail at once.
    onState(.connecting)
    let bound = NIOLoopBound(self, eventLoop: loop)
    SenderBootstrap.connect(to: target, settings, tls, on: loop).whenComplete { result in
      bound.value.connected(result)
    }
  }

  private func connected(_ result: Result<any Channel, any Error>) {
    switch result {
    case .failure(let error):
      if case .connecting = phase { lost(ConnectionFailure.words(for: error)) }
      oneLess()
    case .success(let channel):
      let bound = NIOLoopBound(self, eventLoop: loop)
      channel.closeFuture.whenComplete { _ in bound.value.oneLess() }
      guard case .connecting = phase else { return channel.close(promise: nil) }
      guard let link = try? channel.pipeline.syncOperations.handler(type: SendingHandler.self)
      else { return lost("it was closed at once") }
      phase = .handshake(link)
      schedule(in: settings.answerTime) { owner in
        link.cut()
        owner.lost("it did not answer in \(owner.settings.answerTime.nanoseconds / 1_000_000) ms")
      }
      link.begin(self)
    }
  }

  private func lost(_ why: String) {
    if case .open(_, let since) = phase, .uptime - since >= settings.goodTime { backOff.reset() }
    timer?.cancel()
    guard ending == nil || !waiting.isEmpty else { return end() }
    phase = .resting
    var random = SystemRandomNumberGenerator()
    schedule(in: backOff.wait(using: &random)) { owner in
      if case .resting = owner.phase { owner.connect() }
    }
    onState(.disconnected(why))
  }

  // MARK: Its end

  private func end() {
    timer?.cancel()
    let link = link
    counts.dropped += waiting.count
    // A connection that was lost may have taken it along.
    let isDoubtful = !isConnected && counts.connections > 0
    unsent = waiting.newest ?? unsent ?? (isDoubtful ? last : nil)
    phase = .ended
    waiting.removeAll()
    link?.cut()
    endIfOver()
  }

  private func oneLess() {
    openCount -= 1
    endIfOver()
  }

  private func endIfOver() {
    if case .ended = phase, openCount == 0 { ending?.succeed() }
  }

  private func schedule(in time: Interval, _ action: @escaping (CommandSender) -> Void) {
    timer?.cancel()
    let bound = NIOLoopBound((owner: self, action: action), eventLoop: loop)
    timer = loop.scheduleTask(in: TimeAmount(time)) { bound.value.action(bound.value.owner) }
  }
}
