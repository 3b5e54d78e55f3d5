package import Traces
package import Turret

/// A session as it happens: what comes in by a door is stamped, what the device does follows.
///
/// What it emits, written down, replays to the identical trace: both go through `Replay`, and an input is
/// stamped later than every output that has been emitted.
package struct LiveSession: Sendable {
  /// Of so many of the last bytes it is known what became of them; more than can wait on the board.
  private static let bytesKept = 512

  private var replay: Replay
  /// How far the session has got.
  package private(set) var now = Instant.zero

  /// `kinds`: those of the device's outputs that are emitted.
  package init(_ device: any Device, kinds: Set<Output.Kind>) {
    replay = Replay(device, until: nil, kinds: kinds, ledger: Ledger(keeping: Self.bytesKept))
    // From here on they are kept.
    _ = replay.takeForSender()
  }

  package var device: any Device { replay.device }
  /// What became of the last bytes.
  package var ledger: Ledger { replay.ledger ?? Ledger() }

  /// When there is something to do if nothing comes in; nil: never.
  ///
  /// A device may tell of an output ahead of its time: then it has nothing left to do, but the output is
  /// still to be emitted.
  package var nextDeadline: Instant? {
    let due = replay.device.nextDeadline?.roundedUpToMicrosecond
    guard let held = replay.heldTime else { return due }
    return due.map { min($0, held) } ?? held
  }

  /// Time passes; `instant` is in whole microseconds.
  package mutating func pass<Failure: Error>(
    to instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    guard instant > now else { return }
    now = instant
    try replay.pass(to: instant, emit)
  }

  /// Something comes in. It is stamped with the instant, or just after what has been emitted already.
  package mutating func take<Failure: Error>(
    _ kind: Event.Kind, at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    now = max(instant, now + .microseconds(1))
    try replay.take(Event(now, kind), emit)
  }

  /// A device that was gone is back, which has restarted it.
  package mutating func rejoin<Failure: Error>(
    _ device: any Device, at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    now = max(instant, now + .microseconds(1))
    try replay.replace(by: device, noting: Event(now, .reset(device.bootTime)), emit)
    _ = replay.takeForSender()
  }

  /// What the board has sent to the sender since the last call, where the device puts it out late; nil:
  /// the sender is to have what is emitted.
  package mutating func takeForSender() -> [UInt8]? { replay.takeForSender() }

  /// The session is over. A mark says so, and so when: a replay runs to the last event.
  package mutating func finish<Failure: Error>(
    at instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try take(.mark("end"), at: instant, emit)
    try replay.finish(after: now, emit)
  }
}
