package import Traces
package import Turret

/// Feeds a trace's inputs to a device and gives the trace that results: the inputs and notes as they
/// were, the outputs as the device made them, in canonical order.
package struct Replay: Sendable {
  private var simulation: Simulation
  private let end: Instant?
  /// Outputs whose place among the inputs is not known yet.
  private var held: [Event] = []
  /// The kinds of output that are given.
  private let kinds: Set<Output.Kind>

  /// `end` is where the replay ends; nil: at the last event.
  package init(
    _ device: any Device, until end: Instant?, kinds: Set<Output.Kind>, ledger: Ledger? = nil
  ) {
    simulation = Simulation(device, ledger: ledger)
    self.end = end
    self.kinds = kinds
  }

  /// The next event of the trace that is replayed; its outputs are left out.
  package mutating func take<Failure: Error>(
    _ event: Event, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    guard event.output == nil else { return }
    let isInTime = event.time <= end ?? event.time
    try advance(to: isInTime ? event.time : end ?? event.time, before: event.time, emit)
    try emit(event)
    // What comes after the end is carried over, but nobody hears it.
    if isInTime { simulation.feed(event) }
  }

  package var device: any Device { simulation.device }
  /// What became of the bytes so far; nil where nobody asked.
  package var ledger: Ledger? { simulation.ledger }

  /// Time passes up to and including `instant`; the next event comes later than that.
  package mutating func pass<Failure: Error>(
    to instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: instant, before: instant + .nanoseconds(1), emit)
  }

  /// There are no more events; `last` is the time of the last one.
  package mutating func finish<Failure: Error>(
    after last: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: end ?? last, before: .distantFuture, emit)
  }

  /// At equal times inputs come before outputs, so an output is held until no input can come first.
  private mutating func advance<Failure: Error>(
    to target: Instant, before limit: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    while simulation.step(to: target) {
      for seen in simulation.outputs where kinds.contains(seen.output.kind) {
        held.append(Event(seen.time, seen.output))
      }
      try release(before: limit, emit)
    }
    try release(before: limit, emit)
  }

  private mutating func release<Failure: Error>(
    before limit: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    var count = 0
    while count < held.count, held[count].time < limit {
      try emit(held[count])
      count += 1
    }
    held.removeFirst(count)
  }
}
