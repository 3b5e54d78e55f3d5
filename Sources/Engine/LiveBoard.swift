package import Devices
package import Sketches
package import Traces

/// A board that runs, its line, and the sender's end of that. Inputs are stamped as they arrive,
/// and the device's outputs follow. It reads no clock, waits for nothing and reports nothing.
///
/// A recording of its events replays to the identical trace: both use `Replay`, and an input is
/// stamped later than every output already emitted. A copy is a snapshot.
package struct LiveBoard<D: RealTimeDevice>: Sendable {
  /// The number of most recent bytes whose fate is kept: more than can wait on the board.
  private static var bytesKept: Int { 512 }

  private var replay: Replay<D>
  /// Stands in for the line of an absent board, so that senders are no faster than usual.
  private var away: SerialLine
  /// Whether the board's bytes become events.
  private var showsTransmits = true
  /// How far it has advanced.
  package private(set) var now = Instant.zero
  private var lastInput = Instant.zero
  /// Whether the device has not reached the instant to which it was to advance, because that takes
  /// long.
  private var isLate = false
  /// By how much of its own time a device that can be slow advances at once.
  private var slice = Interval.microseconds(64)

  // In whole microseconds, like all instants of a session. The longest costs a fast device little,
  // and is not long for one that suddenly becomes slow.
  private static var shortestSlice: Interval { .microseconds(8) }
  private static var longestSlice: Interval { .microseconds(1_024) }

  /// The inputs that the device has taken since they were last asked for, before they are emitted
  /// among its outputs; nil if they are not kept.
  package var takenInputs: [Event]?

  /// What is on its way to the board through faults; nil for a line without any.
  package var delayed: DelayedInputs?
  /// The sender's end of the line.
  package internal(set) var port: SenderPort

  /// `kinds` are the outputs to emit. The line runs at `baud` bits a second. `isVerbose`: whether
  /// what the sender does with its port is remarked on even if it is usual.
  package init(_ device: D, baud: Int, kinds: Set<Output.Kind>, isVerbose: Bool = false) {
    away = SerialLine(baud: baud)
    port = SenderPort(boardBaud: baud, isVerbose: isVerbose)
    replay = Replay(device, until: nil, kinds: kinds, ledger: Ledger(keeping: Self.bytesKept))
    // The device keeps its bytes from this call on.
    _ = replay.simulation.device.takeForSender()
  }

  package internal(set) var device: D {
    // Reading yields, because a device is large: `get` would copy it at each use.
    _read { yield replay.simulation.device }
    _modify { yield &replay.simulation.device }
  }
  /// Why it no longer works, or why it refused an input; nil while it works.
  package var fault: DeviceError? { replay.simulation.fault }
  /// The number of the senders' bytes on their way.
  package var onTheWayCount: Int { device.onTheWayCount + away.count + (delayed?.count ?? 0) }
  /// The fates of the most recent bytes.
  package var ledger: Ledger { replay.ledger ?? Ledger() }

  /// The instant before which no further event will be emitted.
  package var settled: Instant { max(.zero, now - replay.simulation.lag) }

  /// Ends the run early: see `Simulation`.
  package var isOver: (@Sendable () -> Bool)? {
    get { replay.simulation.isOver }
    set { replay.simulation.isOver = newValue }
  }
  package var cut: Instant? { replay.simulation.cut }

  /// Whether the device did not reach the instant to which it was to advance.
  package var isBehind: Bool { isLate || cut != nil }

  /// When something is due if no input arrives; nil if never.
  package var nextDeadline: Instant? { earliest(device.nextDeadline) }

  /// An instant at which the device does something, or an earlier one of what is on its way.
  private func earliest(_ device: Instant?) -> Instant? {
    guard let next = delayed?.next else { return device?.roundedUpToMicrosecond }
    return min(device ?? .distantFuture, max(next, now)).roundedUpToMicrosecond
  }

  /// Advances to `instant`, which is in whole microseconds.
  package mutating func pass(to instant: Instant, _ emit: (Event) -> Void) {
    guard instant > now else { return }
    now = instant
    while away.next(by: now) != nil {}
    replay.pass(to: instant, emit)
  }

  /// Whether the device has lately been nearly as slow as real time, or slower.
  package var isSlow: Bool { device.canBeSlow && slice < Self.longestSlice }

  /// Advances towards `instant`, which is in whole microseconds. With a limit, a device that can be
  /// slow is advanced in slices of its own time until it is there or more than that has been spent;
  /// `isBehind` is then true. Slices do not change any event.
  ///
  /// - Parameter limit: how much of the computer's time it can take, and how much has passed since
  ///   the caller began; nil for any time.
  package mutating func pass(
    to instant: Instant, within limit: (time: Interval, spent: () -> Interval)?,
    _ emit: (Event) -> Void
  ) {
    guard let (limit, spent) = limit, device.canBeSlow else { return pass(to: instant, emit) }
    var begin = spent()
    while now < instant {
      pass(to: min(instant, now + slice), emit)
      let end = spent()
      let took = end - begin
      begin = end
      // Several slices fit into the limit, so that little is spent beyond it.
      if took.nanoseconds * 8 > limit.nanoseconds {
        slice = max(Self.shortestSlice, .nanoseconds(slice.nanoseconds / 2))
      } else if took.nanoseconds * 32 < limit.nanoseconds {
        slice = min(Self.longestSlice, slice + slice)
      }
      if end >= limit { break }
    }
    isLate = now < instant
  }

  /// When something is due if no input arrives; nil if never. The search ends when more than
  /// `limit` has been spent, and the instant may then be earlier, when nothing is due.
  package func nextDeadline(within limit: Interval, spent: () -> Interval) -> Instant? {
    earliest(device.nextDeadline(inStepsOf: slice) { spent() < limit })
  }

  /// Begins the session with what is applied to the pins at time 0.
  package mutating func begin(_ inputs: [BoardInput], _ emit: (Event) -> Void) {
    for input in inputs { feed(Event(.zero, .input(input)), emit) }
  }

  private mutating func feed(_ event: Event, _ emit: (Event) -> Void) {
    if takenInputs != nil, event.isInput { takenInputs?.append(event) }
    replay.take(event, emit)
  }

  /// Takes an input. It is stamped with the instant, or with a microsecond after the present time
  /// if that is later.
  package mutating func take(_ input: BoardArrival, at instant: Instant, _ emit: (Event) -> Void) {
    switch input {
    case .event(let kind): stamp(kind, at: instant, emit)
    case .missed(let bytes):
      stamp(.unsent(bytes), at: instant, emit)
      away.send(bytes, at: now)
    case .speed(let baud):
      let bauds = SerialLine.bauds
      port.baud = min(max(baud, bauds.lowerBound), bauds.upperBound)
      stamp(.baud(port.baud), at: instant, emit)
      port.noteSpeed(board: boardBaud)
    case .format(let format):
      port.format = format
      stamp(.format(format), at: instant, emit)
      port.noteFormat(board: device.receivingFormat)
    case .breakBegan:
      port.isInBreak = true
      stamp(.senderBreak(SenderPort.breakMax), at: instant, emit)
    case .breakEnded:
      // Its end is a break of no length, since it is not known before.
      port.isInBreak = false
      stamp(.senderBreak(.zero), at: instant, emit)
    case .adoptFormat(let isPty):
      let board = device.receivingFormat.received
      guard port.format.received != board else { return }
      port.format = board
      stamp(.format(board), at: instant, emit)
      if isPty { port.noteAdoption() }
    case .dtr(let deadTime, let edge):
      // The board's reset pin is fed by DTR through 100 nF and held up by 10 kilohms, so that a
      // second edge within a millisecond does not reach it.
      guard edge >= port.restartsFrom else { return }
      port.restartsFrom = edge + .milliseconds(1)
      stamp(.reset(deadTime), at: instant, emit)
    }
  }

  /// Takes an input or a note of a trace, as `take` does. The page, which has no ports, loads no
  /// more than this.
  package mutating func stamp(_ kind: Event.Kind, at instant: Instant, _ emit: (Event) -> Void) {
    let time = max(instant, now + .microseconds(1))
    guard delayed == nil else {
      delayed?.arrived.append(Event(time, kind))
      return
    }
    now = time
    lastInput = now
    feed(Event(now, kind), emit)
  }

  /// Takes an event of a list of inputs, which is in order of time. Inputs at equal times stay at
  /// equal times.
  package mutating func take(listed event: Event, _ emit: (Event) -> Void) {
    now = max(event.time, now)
    lastInput = now
    feed(Event(now, event.kind), emit)
  }

  /// Continues with a device that was gone and has been restarted.
  package mutating func rejoin(_ device: D, at instant: Instant, _ emit: (Event) -> Void) {
    now = max(instant, now + .microseconds(1))
    replay.replace(by: device, noting: Event(now, .reset(device.bootTime)), emit)
    _ = self.device.takeForSender()
    replay.setShowsTransmits(showsTransmits)
  }

  /// The number of bytes waiting to enter the line.
  package var backlogCount: Int { device.backlogCount + away.count }

  /// Whether the line is empty, nothing waits on the board, and no number is unfinished.
  package var isQuiet: Bool {
    onTheWayCount == 0 && (device.waitingCount ?? 0) == 0
      && device.activity?.isReadingNumber != true
  }

  /// Returns the board's bytes since the last call if the device delays its outputs; nil if the
  /// sender receives the emitted events instead.
  package mutating func takeForSender() -> SentBytes? { device.takeForSender() }

  /// Sets whether the board's bytes become events; in virtual time they always do. If not, they are
  /// available only from `takeForSender`. Returns whether they become events.
  package mutating func setShowsTransmits(_ wanted: Bool) -> Bool {
    let shows = wanted || device.capabilities.clock == .device
    if shows != showsTransmits {
      showsTransmits = shows
      replay.setShowsTransmits(shows)
    }
    return shows
  }

  /// Ends it. A mark records that and the time, because a replay runs to the last event, unless the
  /// trace's header states the end. A device that is behind ends where its outputs are known, after
  /// the last input.
  package mutating func finish(
    at instant: Instant, isMarked: Bool = true, _ emit: (Event) -> Void
  ) {
    guard isMarked else {
      now = instant
      return replay.finish(after: now, emit)
    }
    if isBehind { now = max(lastInput, Instant(nanoseconds: settled.nanoseconds / 1_000 * 1_000)) }
    stamp(.mark("end"), at: isBehind ? now : instant, emit)
    replay.finish(after: now, emit)
  }

  // MARK: Effects

  /// Returns what is to be done since the last call, in order.
  package mutating func takeEffects() -> [BoardEffect] {
    guard !port.effects.isEmpty else { return [] }
    defer { port.effects.removeAll(keepingCapacity: true) }
    return port.effects
  }

  /// Notes what the program on the board has done with its own port, and what its device remarks
  /// on.
  package mutating func noteDevice() {
    port.note(boardBaud: boardBaud)
    // What a remark counts is not over yet.
    let counted = device.twitches
    let remarks = device.remarks.map { remark in
      counted.contains { remark.hasSuffix($0) } ? remark + " so far" : remark
    }
    port.note(remarks: remarks)
  }

  /// The speed of the board's port, in bits a second: the session's, unless the program has set
  /// another one.
  package var boardBaud: Int {
    guard let baud = device.sendingBaud, device.capabilities.clock == .device,
      !PortReceiver.isSame(baud, as: port.plannedBaud)
    else { return port.plannedBaud }
    return baud
  }

  // MARK: The sender's port

  /// The most bytes that wait for the line, as in a port's buffer.
  package static var waitingMax: Int { 4_096 }
  /// Senders are held from this number of bytes on their way, so that what they have already
  /// written still fits, and released below the lower one.
  private static var waitingHigh: Int { 2_048 }
  private static var waitingLow: Int { 1_024 }

  /// How many bytes a sender can write now.
  package var credit: Int { max(0, Self.waitingMax - onTheWayCount) }

  /// Whether senders are to be held; nil if they stay as they are.
  package var holdsSenders: Bool? {
    let waiting = onTheWayCount
    if waiting >= Self.waitingHigh { return true }
    return waiting < Self.waitingLow ? false : nil
  }

  /// Keeps what senders have set on the port later, if it was rewound from there.
  package mutating func keepPort(
    of later: LiveBoard, at instant: Instant, _ emit: (Event) -> Void
  ) {
    let earlier = port
    port = later.port
    // The clock goes back with the session, and would reach that instant late.
    port.restartsFrom = .zero
    if port.baud != earlier.baud { stamp(.baud(port.baud), at: instant, emit) }
    if port.format != earlier.format { stamp(.format(port.format), at: instant, emit) }
    if port.isInBreak != earlier.isInBreak {
      let length = port.isInBreak ? SenderPort.breakMax : .zero
      stamp(.senderBreak(length), at: instant, emit)
    }
  }
}

/// What arrives at a board.
package enum BoardArrival: Hashable, Sendable {
  /// An input or a note of a trace.
  case event(Event.Kind)
  /// Bytes while no board can take them.
  case missed([UInt8])
  /// The sender's speed, in bits a second.
  case speed(Int)
  /// The sender's format.
  case format(LineFormat)
  /// The sender holds the line low until the break ends.
  case breakBegan
  case breakEnded
  /// The sender sends in the format that the board expects from now on. The programs at a pty and
  /// in the network have no format that the bench can see. `isPty`: whether one has a pty open.
  case adoptFormat(isPty: Bool)
  /// DTR was set at an instant of the clock, which restarts the board. The bootloader owns the line
  /// for this long.
  case dtr(deadTime: Interval, edge: Instant)
}

/// What a board has done that no event shows.
package enum BoardEffect: Hashable, Sendable {
  /// A line for the user.
  case remark(String)
  case wrongSpeed(WrongSpeed)
  /// The program on the board has set this speed, in bits a second.
  case boardSpeed(Int)
}

/// The sender's end of the line, and what was remarked about it.
package struct SenderPort: Hashable, Sendable {
  /// The longest break.
  static let breakMax = Interval.seconds(3_600)

  /// The board's speed that the session began with, in bits a second.
  let plannedBaud: Int
  private let isVerbose: Bool
  /// The sender's speed in bits a second, and its format.
  package internal(set) var baud: Int
  package internal(set) var format = LineFormat.standard
  /// Whether the sender holds the line low.
  package internal(set) var isInBreak = false
  /// The first wrong speed, or the first at which the sender wrote; nil if there was none.
  package private(set) var wrongSpeed: WrongSpeed?
  /// The earliest instant of the clock at which DTR can restart the board again.
  fileprivate var restartsFrom = Instant.zero
  /// The board's speed that the rules know.
  private var notedBaud: Int
  /// The wrong speed that was reported last; nil if there is none.
  private var reportedBaud: Int?
  /// Whether it was reported that the board does not expect the sender's format, and that the
  /// sender at a pty is taken to have the board's.
  private var hasReportedFormat = false
  private var hasReportedAdoption = false
  /// The format in which a program reads, if it was reported because it is not the board's.
  private var reportedReading: LineFormat?
  private var remarkCount = 0
  /// What is to be done since the last call of `LiveBoard.takeEffects`.
  fileprivate var effects: [BoardEffect] = []

  init(boardBaud: Int, isVerbose: Bool) {
    plannedBaud = boardBaud
    baud = boardBaud
    notedBaud = boardBaud
    self.isVerbose = isVerbose
  }

  fileprivate mutating func note(boardBaud: Int) {
    guard boardBaud != notedBaud else { return }
    notedBaud = boardBaud
    effects.append(.boardSpeed(boardBaud))
  }

  fileprivate mutating func note(remarks: [String]) {
    guard remarks.count > remarkCount else { return }
    effects += remarks[remarkCount...].map { .remark($0) }
    remarkCount = remarks.count
  }

  fileprivate mutating func noteSpeed(board: Int) {
    guard baud != board else {
      reportedBaud = nil
      return remark("The sender writes at \(baud) baud again.")
    }
    reportedBaud = baud
    report(WrongSpeed(.writing, sender: baud, board: board))
  }

  /// Reports that a program reads at a wrong speed, unless that speed was the last one reported.
  mutating func noteGarbled(at reader: Int, from sent: Int) {
    guard reader != reportedBaud else { return }
    reportedBaud = reader
    let board = PortReceiver.isSame(sent, as: plannedBaud) ? plannedBaud : sent
    let wrong = WrongSpeed(.reading, sender: reader, board: board)
    effects.append(.wrongSpeed(wrong))
    report(wrong)
  }

  private mutating func report(_ wrong: WrongSpeed) {
    let garbles = wrong.garbles
    let isFirst = wrongSpeed.map { $0.direction == .reading && wrong.direction == .writing } ?? true
    if garbles, isFirst { wrongSpeed = wrong }
    let sentence = wrong.text.prefix(1).uppercased() + wrong.text.dropFirst()
    let end =
      garbles ? ": it receives garbled bytes." : "; that is near enough for every byte to arrive."
    remark(sentence + end)
  }

  private mutating func remark(_ line: String) { effects.append(.remark(line)) }

  fileprivate mutating func noteFormat(board: LineFormat) {
    // A receiver does not see a second stop bit.
    let isUnderstood = format.received == board.received
    defer { hasReportedFormat = !isUnderstood }
    guard isVerbose || isUnderstood == hasReportedFormat else { return }
    remark(
      isUnderstood
        ? "The sender sends \(format), as the board expects."
        : "The sender sends \(format), the board expects \(board): it receives what it samples "
          + "of each frame.")
  }

  fileprivate mutating func noteAdoption() {
    guard !hasReportedAdoption else { return }
    hasReportedAdoption = true
    remark(
      "The board expects \(format). A pty carries neither the data size nor the parity nor a "
        + "break, so the sender is taken to send \(format) too; --rfc2217 carries them.")
  }

  /// Reports that a program reads in another format than the board's.
  mutating func noteReading(in reader: LineFormat, from board: LineFormat) {
    guard reader.received != board.received else {
      reportedReading = nil
      return
    }
    guard reportedReading != reader, reportedReading == nil || isVerbose else { return }
    reportedReading = reader
    remark(
      "The RFC 2217 client reads \(reader), the board sends \(board): the client receives what "
        + "its UART samples.")
  }
}

/// What is on its way to a board through faults, which are not a part of it: a board without them
/// loads no code for them.
package struct DelayedInputs: Hashable, Sendable {
  /// What has arrived and has not been passed to the faults yet.
  var arrived: [Event] = []
  /// The number of bytes that the faults hold back.
  fileprivate(set) var count = 0
  /// When something reaches the board, or a fault strikes; nil if nothing does.
  package fileprivate(set) var next: Instant?

  package init(_ faults: FaultyLine) { next = faults.nextDeadline }
}

extension LiveBoard {
  /// Passes what has arrived to the faults, and takes what they let through at once.
  package mutating func disturb(by faults: inout FaultyLine, _ emit: (Event) -> Void) {
    guard let arrived = delayed?.arrived, !arrived.isEmpty else { return }
    delayed?.arrived = []
    for event in arrived {
      take(from: &faults, by: event.time - .nanoseconds(1), emit)
      faults.take(event)
      take(from: &faults, by: event.time, emit)
    }
  }

  /// Takes what passes the faults by an instant.
  package mutating func take(
    from faults: inout FaultyLine, by instant: Instant, _ emit: (Event) -> Void
  ) {
    while let event = faults.next(by: instant) { take(listed: event, emit) }
    delayed?.count = faults.count
    delayed?.next = faults.nextDeadline
  }
}
