package import Traces
package import Turret

/// A session as it happens: what comes in by a door is stamped, what the device does follows.
///
/// What it emits, written down, replays to the identical trace: both go through `Replay`, and an
/// input is stamped later than every output that has been emitted.
package struct LiveSession<D: RealTimeDevice>: Sendable {
  /// Of so many of the last bytes it is known what became of them; more than can wait on the board.
  private static var bytesKept: Int { 512 }

  private var replay: Replay<D>
  /// The line to a board that is not there: senders are no faster than to one that is.
  private var away: SerialLine
  /// Whether what the board transmits becomes events.
  private var showsTransmits = true
  /// How far the session has got.
  package private(set) var now = Instant.zero

  /// `kinds`: those of the device's outputs that are emitted.
  /// The line runs at `baud` bits a second.
  package init(_ device: D, baud: Int, kinds: Set<Output.Kind>) {
    away = SerialLine(baud: baud)
    replay = Replay(device, until: nil, kinds: kinds, ledger: Ledger(keeping: Self.bytesKept))
    // From here on they are kept.
    _ = replay.simulation.device.takeForSender()
  }

  package private(set) var device: D {
    get { replay.simulation.device }
    _modify { yield &replay.simulation.device }
  }
  /// How many bytes of the senders' are under way.
  package var onTheWayCount: Int { device.onTheWayCount + away.count }
  /// What became of the last bytes.
  package var ledger: Ledger { replay.ledger ?? Ledger() }

  /// What is emitted from here on is not earlier than this.
  package var settled: Instant { max(.zero, now - device.capabilities.lag) }

  /// When there is something to do if nothing comes in; nil: never.
  package var nextDeadline: Instant? { device.nextDeadline?.roundedUpToMicrosecond }

  /// Time passes; `instant` is in whole microseconds.
  package mutating func pass<Failure: Error>(
    to instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    guard instant > now else { return }
    now = instant
    while away.next(by: now) != nil {}
    try replay.pass(to: instant, emit)
  }

  /// Something comes in. It is stamped with the instant, or just after what has been emitted
  /// already.
  package mutating func take<Failure: Error>(
    _ kind: Event.Kind, at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    now = max(instant, now + .microseconds(1))
    try replay.take(Event(now, kind), emit)
  }

  /// Bytes come in while there is no board to take them: they are noted.
  package mutating func miss<Failure: Error>(
    _ bytes: [UInt8], at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try take(.unsent(bytes), at: instant, emit)
    away.send(bytes, at: now)
  }

  /// A device that was gone is back, which has restarted it.
  package mutating func rejoin<Failure: Error>(
    _ device: D, at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    now = max(instant, now + .microseconds(1))
    try replay.replace(by: device, noting: Event(now, .reset(device.bootTime)), emit)
    _ = self.device.takeForSender()
    replay.setShowsTransmits(showsTransmits)
  }

  /// How many bytes wait before the line.
  package var backlogCount: Int { device.backlogCount + away.count }

  /// Bytes that somebody else has read from the device's descriptor.
  package mutating func arrived(_ bytes: [UInt8]) { device.arrived(bytes) }

  /// What the board has sent to the sender since the last call, where the device puts it out late;
  /// nil: the sender is to have what is emitted.
  package mutating func takeForSender() -> [UInt8]? { device.takeForSender() }

  /// Has what the board transmits become events, or where nobody needs those, not: `takeForSender`
  /// has the bytes then. Returns whether they do: in virtual time they always do.
  package mutating func setShowsTransmits(_ wanted: Bool) -> Bool {
    let shows = wanted || device.capabilities.clock == .device
    if shows != showsTransmits {
      showsTransmits = shows
      replay.setShowsTransmits(shows)
    }
    return shows
  }

  /// The session is over. A mark says so, and so when: a replay runs to the last event.
  package mutating func finish<Failure: Error>(
    at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try take(.mark("end"), at: instant, emit)
    try replay.finish(after: now, emit)
  }
}
