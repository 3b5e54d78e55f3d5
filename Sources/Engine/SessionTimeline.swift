import Devices
import Judging
import Sketches
import Traces

/// The part of a session that goes back in time: the board and its line, and what follows their
/// events. The session decides when; here, each of the board's events goes to all that follow it.
struct SessionTimeline<D: RealTimeDevice>: Sendable {
  var board: LiveBoard<D>
  /// The faults on the way from the sender to the board; nil for none.
  private(set) var faults: FaultyLine?
  var followers: SessionFollowers
  /// What samples the board's bytes for the programs at the two ports.
  private(set) var ptyReceiver: PortReceiver
  private(set) var remoteReceiver: PortReceiver

  init(_ start: SessionStart<D>, isVerbose: Bool) {
    let baud = start.setup.baud
    board = LiveBoard(start.device, baud: baud, kinds: start.setup.observes, isVerbose: isVerbose)
    faults = start.faults.flatMap { plan in
      plan.specs.contains { !$0.isReturn } ? FaultyLine(plan, baud: baud) : nil
    }
    board.delayed = faults.map { DelayedInputs($0) }
    followers = SessionFollowers(baud: baud)
    followers.returnLine = ReturnLine(start.faults, baud: baud)
    ptyReceiver = PortReceiver(baud: baud)
    remoteReceiver = PortReceiver(baud: baud)
  }

  /// Begins with what is applied to the pins at time 0.
  mutating func begin(_ inputs: [BoardInput], _ emit: (Event) -> Void) {
    board.begin(inputs) { followers.pass($0, emit) }
  }

  // MARK: Time

  /// Advances to `end`, which is in whole microseconds: see `Session.advance`.
  mutating func pass(
    to end: Instant, within limit: (time: Interval, spent: () -> Interval)?,
    _ effects: inout [SessionEffect], _ emit: (Event) -> Void
  ) {
    followers.toSender.baud = board.device.sendingBaud ?? board.port.plannedBaud
    followers.toSender.format = board.device.sendingFormat
    followers.returnLine?.set(
      baud: followers.toSender.baud, followers.toSender.format, at: board.settled)
    while let due = faults?.nextDeadline, due <= end {
      passBoard(to: due.roundedUpToMicrosecond - .microseconds(1), within: limit, &effects, emit)
      // A board that is behind takes it in a later turn.
      if board.isBehind { break }
      takeDisturbed(by: due, emit)
    }
    if faults == nil || !board.isBehind { passBoard(to: end, within: limit, &effects, emit) }
    followers.advanceReturn(to: board.settled, emit)
    board.noteDevice()
    noteEffects(&effects)
  }

  /// Advances the board, and the servos with it.
  private mutating func passBoard(
    to end: Instant, within limit: (time: Interval, spent: () -> Interval)?,
    _ effects: inout [SessionEffect], _ emit: (Event) -> Void
  ) {
    guard followers.drive != nil else {
      return board.pass(to: end, within: limit) { followers.pass($0, emit) }
    }
    while let stop = followers.drive?.nextStop, board.now < end {
      let lag = board.now - board.settled
      var events: [Event] = []
      let next = min(end, (stop + lag).roundedUpToMicrosecond)
      board.pass(to: next, within: limit) {
        followers.drive?.follow($0)
        events.append($0)
      }
      var shown: [Event] = []
      let failure = followers.drive?.advance(to: board.settled) { shown.append($0) }
      var index = shown.startIndex
      func emitShown(before instant: Instant) {
        while index < shown.endIndex, shown[index].time < instant {
          followers.pass(shown[index], emit)
          index += 1
        }
      }
      for event in events {
        emitShown(before: event.time)
        followers.pass(event, isDriven: true, emit)
      }
      emitShown(before: .distantFuture)
      if let failure {
        fail(failure, emit)
        effects.append(.powerFailed(failure))
      }
      if followers.drive?.takeReturnOfPort() == true {
        arrive(.event(.mark(PowerFailure.reopening)), at: board.now, emit)
        arrive(.event(.reset(PowerFailure.bootTime)), at: board.now, emit)
      }
      if board.isBehind { return }
    }
  }

  /// Records a failure of the supply, and restarts what had no power.
  private mutating func fail(_ failure: PowerFailure, _ emit: (Event) -> Void) {
    arrive(.event(.mark(failure.mark)), at: board.now, emit)
    arrive(.event(.fault(failure.strike)), at: board.now, emit)
    if let deadTime = failure.deadTime(from: board.now) {
      arrive(.event(.reset(deadTime)), at: board.now, emit)
    }
  }

  // MARK: Inputs

  /// Passes what has arrived for the board to the faults, and what they let through at once to the
  /// board.
  private mutating func disturb(_ emit: (Event) -> Void) {
    if faults != nil { board.disturb(by: &faults!) { followers.pass($0, emit) } }
  }

  /// Passes to the board what reaches it by an instant.
  private mutating func takeDisturbed(by instant: Instant, _ emit: (Event) -> Void) {
    if faults != nil { board.take(from: &faults!, by: instant) { followers.pass($0, emit) } }
  }

  mutating func arrive(_ arrival: BoardArrival, at instant: Instant, _ emit: (Event) -> Void) {
    board.take(arrival, at: instant) { followers.pass($0, emit) }
    disturb(emit)
  }

  /// Returns what becomes of bytes that are sent at an instant: they are lost while the computer
  /// has no port, because the board's adapter has no power.
  func kind(ofSent bytes: [UInt8], at instant: Instant) -> Event.Kind {
    guard let drive = followers.drive, instant < drive.portReturns ?? .zero else {
      return .receive(bytes)
    }
    return .fault(FaultStrike(.dropOut, at: .usb16u2, took: bytes))
  }

  /// Takes an event of a list of inputs, which is in order of time.
  mutating func take(listed event: Event, _ emit: (Event) -> Void) {
    var event = event
    if case .receive(let bytes) = event.kind {
      event.kind = kind(ofSent: bytes, at: max(event.time, board.now))
    }
    if faults != nil {
      let event = Event(max(event.time, board.now), event.kind)
      board.delayed?.arrived.append(event)
      disturb(emit)
    } else {
      board.take(listed: event) { followers.pass($0, emit) }
    }
    board.noteDevice()
  }

  /// Continues with a board that was gone and has been restarted.
  mutating func rejoin(_ device: D, at instant: Instant, _ emit: (Event) -> Void) {
    board.rejoin(device, at: instant) { followers.pass($0, emit) }
  }

  /// Keeps what senders have set on their ports since, if the session has gone back from there.
  mutating func keepPort(of later: LiveBoard<D>, at instant: Instant, _ emit: (Event) -> Void) {
    board.keepPort(of: later, at: instant) { followers.pass($0, emit) }
    disturb(emit)
  }

  /// Ends at an instant: see `Session.finish`.
  mutating func finish(at instant: Instant, isMarked: Bool, _ emit: (Event) -> Void) {
    if !board.isBehind { takeDisturbed(by: instant, emit) }
    // The mark of the end passes no fault.
    board.delayed = nil
    board.finish(at: instant, isMarked: isMarked) { followers.pass($0, emit) }
    followers.advanceReturn(to: board.now, emit)
  }

  // MARK: The board's bytes

  /// Returns what the board has sent by `now`: see `Session.deliver`.
  mutating func deliver(
    by now: Instant, isCounted: Bool, pty: LineReader?, remote: LineReader?
  ) -> BoardDelivery {
    let emitted = followers.toSender.take(by: now)
    // The board's own bytes do not pass the faults.
    let early = board.takeForSender()
    let sent = followers.returnLine == nil ? early ?? emitted : emitted
    if !isCounted { followers.counts.addTransmitted(sent.bytes.count) }
    var delivery = BoardDelivery(bytes: sent.bytes)
    if let pty {
      // A pty does not carry the format that its program has set, so it is taken to be the board's.
      delivery.pty = ptyReceiver.receive(sent, at: pty.baud, in: sent.format, by: now)
      if ptyReceiver.hasGarbled { board.port.noteGarbled(at: pty.baud, from: sent.baud) }
      ptyReceiver.hasGarbled = false
    } else if ptyReceiver.nextDeadline != nil {
      // What was on its way to a program that has closed the port is lost. Otherwise it would be
      // due for ever.
      ptyReceiver = PortReceiver(baud: board.port.plannedBaud)
    }
    if let remote {
      let format = remote.format ?? sent.format
      if !sent.isEmpty { board.port.noteReading(in: format, from: sent.format) }
      delivery.remote = remoteReceiver.receive(sent, at: remote.baud, in: format, by: now)
      if remoteReceiver.hasGarbled, !PortReceiver.isSame(remote.baud, as: sent.baud) {
        board.port.noteGarbled(at: remote.baud, from: sent.baud)
      }
      remoteReceiver.hasGarbled = false
    } else if remoteReceiver.nextDeadline != nil {
      remoteReceiver = PortReceiver(baud: board.port.plannedBaud)
    }
    return delivery
  }

  // MARK: Effects

  /// Passes on what the board has done that no event shows.
  mutating func noteEffects(_ effects: inout [SessionEffect]) {
    for effect in board.takeEffects() {
      switch effect {
      case .remark(let line): effects.append(.remark(line))
      case .wrongSpeed(let wrong):
        followers.rules?.record.note(wrong)
        followers.client?.record.note(wrong)
      case .boardSpeed(let baud):
        followers.rules?.record.boardBaud = baud
        followers.client?.record.boardBaud = baud
      }
    }
  }
}

/// The receivers of the events that decide something, or that count.
struct SessionFollowers: Sendable {
  var counts = LiveCounts()
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  var judge: TraceJudge?
  var rules: SessionRules?
  var client: APISession?
  /// The servos as machines; nil if only their commands are of interest.
  var drive: ServoDrive?
  /// The faults on the way from the board; nil for none.
  var returnLine: ReturnLine?

  init(baud: Int) { toSender = TransmitDelay(baud: baud) }

  /// Takes an event and passes it on, with those of the faults on the way from the board.
  ///
  /// - Parameter isDriven: whether the drive has taken the event already.
  mutating func pass(_ event: Event, isDriven: Bool = false, _ emit: (Event) -> Void) {
    guard var line = returnLine.take() else {
      take(event, isDriven: isDriven)
      if case .output(.transmit(let byte)) = event.kind { toSender.put(byte, at: event.time) }
      return emit(event)
    }
    line.pass(event) {
      take($0, isDriven: isDriven)
      emit($0)
    }
    keep(line)
  }

  /// Lets the faults on the way from the board strike that do so by an instant.
  mutating func advanceReturn(to instant: Instant, _ emit: (Event) -> Void) {
    guard var line = returnLine.take() else { return }
    line.advance(to: instant) {
      take($0)
      emit($0)
    }
    keep(line)
  }

  private mutating func keep(_ line: consuming ReturnLine) {
    for (byte, start) in line.takeArrived() { toSender.put(byte, at: start) }
    returnLine = line
  }

  private mutating func take(_ event: Event, isDriven: Bool = false) {
    counts.add(event)
    judge?.take(event)
    rules?.take(event)
    client?.take(event)
    if !isDriven { drive?.take(event) }
  }
}
