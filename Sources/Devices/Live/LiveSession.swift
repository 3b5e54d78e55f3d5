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
  /// The time of the last input.
  private var lastInput = Instant.zero
  /// Whether the device did not reach the instant to which it was to advance.
  package private(set) var isBehind = false
  /// By how much of its own time a device that can be slow advances at once.
  private var slice = Interval.microseconds(64)

  // In whole microseconds, like all instants of a session. The longest costs a fast device little,
  // and is not long for one that suddenly becomes slow.
  private static var shortestSlice: Interval { .microseconds(8) }
  private static var longestSlice: Interval { .microseconds(1_024) }

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
  package var settled: Instant { max(.zero, now - replay.simulation.lag) }

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

  /// Whether the device has lately been nearly as slow as real time, or slower.
  package var isSlow: Bool { device.canBeSlow && slice < Self.longestSlice }

  /// Advances towards `instant`, which is in whole microseconds. A device that can be slow is
  /// advanced in slices of its own time until it is there or more than `limit` has been spent;
  /// `isBehind` is then true. Slices do not change any event.
  ///
  /// - Parameter spent: how much of the computer's time has passed since the caller began.
  package mutating func pass<Failure: Error>(
    to instant: Instant, within limit: Interval, spent: () -> Interval,
    _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    guard device.canBeSlow else { return try pass(to: instant, emit) }
    var begin = spent()
    while now < instant {
      try pass(to: min(instant, now + slice), emit)
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
    isBehind = now < instant
  }

  /// When something is due if no input arrives; nil if never. The search ends when more than
  /// `limit` has been spent, and the instant may then be earlier, when nothing is due.
  package func nextDeadline(within limit: Interval, spent: () -> Interval) -> Instant? {
    device.nextDeadline(inStepsOf: slice) { spent() < limit }?.roundedUpToMicrosecond
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
    lastInput = now
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

  /// Ends the session. A mark records it and the time, because a replay runs to the last event. The
  /// session of a device that is behind ends where its outputs are known, after the last input.
  package mutating func finish<Failure: Error>(
    at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    if isBehind {
      now = max(lastInput, Instant(nanoseconds: settled.nanoseconds / 1_000 * 1_000))
    }
    try take(.mark("end"), at: isBehind ? now : instant, emit)
    try replay.finish(after: now, emit)
  }
}
