package import Traces
package import Turret

/// A session as it happens. Inputs are stamped as they arrive, and the device's outputs follow.
///
/// A recording of its events replays to the identical trace: both use `Replay`, and an input is
/// stamped later than every output already emitted.
package struct LiveSession<D: RealTimeDevice>: Sendable {
  /// The number of most recent bytes whose fate is kept: more than can wait on the board.
  private static var bytesKept: Int { 512 }

  private var replay: Replay<D>
  /// Stands in for the line of an absent board, so that senders are no faster than usual.
  private var away: SerialLine
  /// Whether the board's bytes become events.
  private var showsTransmits = true
  /// How far the session has advanced.
  package private(set) var now = Instant.zero

  /// `kinds` are the outputs to emit. The line runs at `baud` bits a second.
  package init(_ device: D, baud: Int, kinds: Set<Output.Kind>) {
    away = SerialLine(baud: baud)
    replay = Replay(device, until: nil, kinds: kinds, ledger: Ledger(keeping: Self.bytesKept))
    // The device keeps its bytes from this call on.
    _ = replay.simulation.device.takeForSender()
  }

  package private(set) var device: D {
    get { replay.simulation.device }
    _modify { yield &replay.simulation.device }
  }
  /// The number of the senders' bytes on their way.
  package var onTheWayCount: Int { device.onTheWayCount + away.count }
  /// The fates of the most recent bytes.
  package var ledger: Ledger { replay.ledger ?? Ledger() }

  /// The instant before which no further event will be emitted.
  package var settled: Instant { max(.zero, now - device.capabilities.lag) }

  /// When something is due if no input arrives; nil if never.
  package var nextDeadline: Instant? { device.nextDeadline?.roundedUpToMicrosecond }

  /// Advances to `instant`, which is in whole microseconds.
  package mutating func pass<Failure: Error>(
    to instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    guard instant > now else { return }
    now = instant
    while away.next(by: now) != nil {}
    try replay.pass(to: instant, emit)
  }

  /// Begins the session with what is applied to the pins at time 0.
  package mutating func begin<Failure: Error>(
    _ inputs: [BoardInput], _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    for input in inputs { try replay.take(Event(.zero, .input(input)), emit) }
  }

  /// Takes an input. It is stamped with the instant, or with a microsecond after the session's
  /// present time if that is later.
  package mutating func take<Failure: Error>(
    _ kind: Event.Kind, at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    now = max(instant, now + .microseconds(1))
    try replay.take(Event(now, kind), emit)
  }

  /// Reports the levels of these pins from now on.
  package mutating func watch(_ pins: Set<BoardPin>) { device.watch(.some(pins)) }

  /// Records bytes that arrive while no board can take them.
  package mutating func miss<Failure: Error>(
    _ bytes: [UInt8], at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try take(.unsent(bytes), at: instant, emit)
    away.send(bytes, at: now)
  }

  /// Continues with a device that was gone and has been restarted.
  package mutating func rejoin<Failure: Error>(
    _ device: D, at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    now = max(instant, now + .microseconds(1))
    try replay.replace(by: device, noting: Event(now, .reset(device.bootTime)), emit)
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

  /// Takes bytes that the caller has read from the device's descriptor.
  package mutating func arrived(_ bytes: [UInt8]) { device.arrived(bytes) }

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

  /// Ends the session. A mark records it and the time, because a replay runs to the last event.
  package mutating func finish<Failure: Error>(
    at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try take(.mark("end"), at: instant, emit)
    try replay.finish(after: now, emit)
  }
}
