import Devices
import Judging
package import Sketches
package import Traces

extension Session {
  // MARK: The client

  /// Whether the sketch listens, as far as the session shows it.
  package var isListening: Bool { timeline.followers.client?.isListening(moment(at: now)) ?? true }

  /// Whether events wait for a client that reads slowly.
  package var isClientBehind: Bool { timeline.followers.client?.isBehind ?? false }

  /// What the session is at an instant. The board may not have advanced that far yet.
  func moment(at instant: Instant) -> APIMoment {
    var moment = APIMoment(
      now: max(now, instant), settled: timeline.board.settled, baud: timeline.board.port.baud)
    moment.activity = timeline.board.device.activity
    moment.counts = timeline.followers.counts
    moment.commands = commandCount
    moment.onTheWay = timeline.board.onTheWayCount
    moment.waiting = timeline.board.device.waitingCount
    moment.backlog = clientBacklog
    return moment
  }

  mutating func takeScheduled(by instant: Instant, _ emit: (Event) -> Void) {
    guard let next = timeline.followers.client?.nextSend, next <= instant else { return }
    obey(timeline.followers.client?.due(by: instant), at: instant, emit)
  }

  /// Reports to the client what has been decided.
  mutating func judgeForClient() {
    guard timeline.followers.client != nil else { return }
    let moment = moment(at: now)
    for case .write(let message) in timeline.followers.client?.advance(moment) ?? [] {
      effects.append(.answer(message))
    }
  }

  mutating func obey(_ actions: [APIAction]?, at instant: Instant, _ emit: (Event) -> Void) {
    for action in actions ?? [] {
      switch action {
      case .write(let message): effects.append(.answer(message))
      case .input(let kind, let time, let id):
        take(kind, fromClientAt: time ?? instant, emit)
        if let id { effects.append(.answer(.answer(id, .done(at: now)))) }
      case .watch(let pins): timeline.board.device.watch(.some(pins))
      case .record(let rule, let id):
        guard var setup = clientSetting?.setup else { break }
        setup.record(on: &timeline.board.device)
        timeline.followers.client?.setting.setup = setup
        let moment = moment(at: instant)
        obey(
          timeline.followers.client?.take(.expect(rule, patience: nil), id, moment), at: instant,
          emit)
      case .run(let until, let id):
        advance(to: until, emit)
        effects.append(.answer(.answer(id, .done(at: until))))
      case .plot(let trace, let id): effects.append(.plot(trace, for: id))
      case .open(let rule, let id): effects.append(.openTraces(of: rule, for: id))
      case .end: isEndRequested = true
      }
    }
  }

  private mutating func take(
    _ kind: Event.Kind, fromClientAt instant: Instant, _ emit: (Event) -> Void
  ) {
    switch kind {
    case .receive(let bytes): receive(bytes, from: .client, at: instant, emit)
    case .baud(let baud): timeline.arrive(.speed(baud), at: instant, emit)
    case .format(let format):
      hasClientFormat = true
      timeline.arrive(.format(format), at: instant, emit)
    // A line that another sender holds low is low already.
    case .senderBreak where timeline.board.port.isInBreak: break
    default: timeline.arrive(.event(kind), at: instant, emit)
    }
  }

  // MARK: The network's clients

  /// Passes the clients' bytes to the line, as many as it has room for.
  @_specialize(where D == Model)
  package mutating func feedLine(at clock: Instant, _ emit: (Event) -> Void) {
    guard arbiter != nil else { return }
    takeScheduled(by: present(clock), emit)
    tellArbiter(.passed, at: clock, emit)
    guard !life.isBoardAway else { return }
    while true {
      let (count, room) = (timeline.board.onTheWayCount, credit(.network))
      guard let next = arbiter?.next(waitingCount: count, room: room, at: clock) else { return }
      for action in next.actions { effects.append(.network(action)) }
      receive(next.bytes, from: .network, at: present(clock), emit)
    }
  }

  /// Notifies the clients of what waits and will not be sent, because the driver ends. From now on,
  /// what they do becomes no part of the session. Can be called again.
  package mutating func closeNetwork(at clock: Instant, _ emit: (Event) -> Void) {
    isNetworkClosed = true
    tellArbiter(.over, at: clock, emit)
  }

  mutating func tellArbiter(_ event: Arbiter.Event, at clock: Instant, _ emit: (Event) -> Void) {
    for action in arbiter?.handle(event, at: clock) ?? [] { effects.append(.network(action)) }
    if !isNetworkClosed, life.ending == nil { recordRefused(isLast: false, at: clock, emit) }
  }

  /// Records what the arbiter has refused. `isLast`: the session ends.
  mutating func recordRefused(isLast: Bool, at clock: Instant, _ emit: (Event) -> Void) {
    for message in arbiter?.takeRefused(isLast: isLast) ?? [] {
      timeline.arrive(.event(.refused(message)), at: present(clock), emit)
    }
  }
}
