package import Devices
package import Judging
package import Sketches
package import Traces

extension Session {
  /// Decides at the end of a turn, so that an ending cuts nothing off, whether the session goes on.
  /// `unread` is the number of the senders' bytes that have arrived but were not taken yet.
  @_specialize(where D == Model)
  package mutating func decide(at clock: Instant, unread: Int = 0, _ emit: (Event) -> Void) {
    if life.isStarting {
      handle(.waited(lag: timeline.board.device.capabilities.lag), at: clock, emit)
    }
    if let fault = timeline.board.device.fault { handle(.boardFailed(fault), at: clock, emit) }
    for ending in endings where !life.isEnding {
      switch ending {
      case .signal(let number): handle(.signal(number), at: clock, emit)
      case .commandEnded: handle(commandEnded(at: clock, unread: unread), at: clock, emit)
      default: break
      }
    }
    endings = []
    if isEndRequested { handle(.endKey, at: clock, emit) }
    handle(.passed, at: clock, emit)
    if life.isAboutToEnd(at: clock) {
      handle(.undecided(until: settles(from: clock)), at: clock, emit)
    }
    // A board that is behind has not done yet what the command has sent.
    let undone = timeline.board.isBehind ? 1 : 0
    let onTheWay = timeline.board.onTheWayCount + unread + undone
    handle(.line(onTheWay: onTheWay, waiting: timeline.board.device.waitingCount), at: clock, emit)
    // By now the network may have begun to leave, which can send a last command.
    let isDrained = arbiter?.isDrained ?? true
    handle(
      .network(isDrained: isDrained && timeline.board.onTheWayCount + unread == 0), at: clock, emit)
  }

  private func commandEnded(at clock: Instant, unread: Int) -> SessionLife.Event {
    let byteTime = ByteClock.byteTime(baud: timeline.board.port.plannedBaud).nanoseconds
    return .commandEnded(
      earliest: max(settles(from: clock), timeline.followers.client?.nextDeadline ?? clock),
      backlog: .nanoseconds(Int64(timeline.board.onTheWayCount + unread) * byteTime))
  }

  mutating func handle(_ event: SessionLife.Event, at clock: Instant, _ emit: (Event) -> Void) {
    for action in life.handle(event, at: clock) {
      switch action {
      case .startCommand: effects.append(.startCommand)
      case .missBoard(let error):
        effects.append(.boardIsGone(error))
        timeline.arrive(.event(.mark("unplugged")), at: present(clock), emit)
        tellArbiter(.boardIsGone, at: clock, emit)
      case .lookForBoard: effects.append(.lookForBoard)
      case .welcomeBoard(let time):
        effects.append(.remark("The board is back."))
        tellArbiter(.boardIsBack(bootTime: time), at: clock, emit)
      case .leave:
        tellArbiter(.leaving, at: clock, emit)
        feedLine(at: clock, emit)
      case .reportUntaken: reportUntaken()
      case .end(let instant):
        tellArbiter(.over, at: clock, emit)
        recordRefused(isLast: true, at: clock, emit)
        effects.append(.end(at: instant))
      }
    }
  }

  private mutating func reportUntaken() {
    guard let arbiter else { return }
    let kind = arbiter.settings.isRaw ? "bytes" : "commands"
    effects.append(
      .remark(
        "The board did not take everything in time: \(kind) waiting: \(arbiter.waitingCount), "
          + "bytes in transit: \(timeline.board.device.untakenCount)."))
  }

  /// Ends the session at an instant of its own time. `isMarked`: whether a mark states the end,
  /// because the header does not.
  package mutating func finish(
    at instant: Instant, isMarked: Bool = true, _ emit: (Event) -> Void
  ) {
    timeline.finish(at: instant, isMarked: isMarked, emit)
    timeline.noteEffects(&effects)
  }

  /// The faults that have not struck, and a sentence about them; nil if all have.
  package var unstruck: [FaultSpec] {
    (timeline.faults?.unstruck ?? []) + (timeline.followers.returnLine?.unstruck ?? [])
  }
  package var unstruckNote: String? { plan?.note(unstruck: unstruck) }

  /// Returns the judge's verdict after the end; nil if there is none.
  package mutating func verdict() -> Verdict? {
    let end = now
    return timeline.followers.judge?.finish(at: end)
  }

  /// Returns the result of the rules after the end; nil if there are none.
  package mutating func ruleReport(sender: SenderOutcome?) -> RuleReport? {
    let end = now
    var report = timeline.followers.rules?.finish(at: end, sender: sender)
    if sender != nil, !isReached { report?.explain(Self.unreached) }
    return report
  }

  /// Judges the client's rules after the end. Returns whether one has failed.
  package mutating func judgeClientRules() -> Bool {
    let end = now
    let backlog = clientBacklog
    let actions = timeline.followers.client?.finish(at: end, backlog: backlog) ?? []
    for case .write(let message) in actions { effects.append(.answer(message)) }
    return timeline.followers.client.map { $0.rules.failedCount > 0 } ?? false
  }

  /// What is said of a command that made no use of its port.
  package static var unreached: String {
    "the sender never opened the bench's port: its path is in SENTRY_PORT, or where --pty (in a "
      + "scenario, pty) says (a program that uses libserialport can open no pty)"
  }

  /// The last message to the client, when the program ends with `status`; nil without a client.
  package func lastMessage(_ status: ExitStatus) -> APIMessage? {
    timeline.followers.client?.over(status: status)
  }
}
