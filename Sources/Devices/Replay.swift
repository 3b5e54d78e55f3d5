package import Traces
package import Turret

/// Feeds a trace's inputs to a device and gives the trace that results: the inputs and notes as
/// they were, the outputs as the device made them, in canonical order.
package struct Replay<D: Device>: Sendable {
  package internal(set) var simulation: Simulation<D>
  private let end: Instant?
  /// After it what the device does is nobody's business.
  private var last = Instant.distantFuture
  /// Outputs whose place among the inputs is not known yet, and inputs that outputs may yet
  /// precede.
  private var held: [Event] = []
  /// The kinds of output that are given.
  private let kinds: Set<Output.Kind>
  /// From when on there are no outputs that an event could have to wait for; nil: there may be
  /// some.
  private var outputsEnd: Instant?

  /// `end` is where the replay ends; nil: at the last event. `start` is where the device is
  /// already.
  package init(
    _ device: D, from start: Instant = .zero, until end: Instant?,
    kinds: Set<Output.Kind>, ledger: Ledger? = nil
  ) {
    simulation = Simulation(device, at: start, ledger: ledger)
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
    if isInOrder(event) { try emit(event) } else { hold(event) }
    // What comes after the end is carried over, but nobody hears it.
    if isInTime { simulation.feed(event) }
  }

  /// The device as it was at the end of the replay: it may have been taken further since.
  package private(set) var deviceAtEnd: D?
  /// What became of the bytes so far; nil where nobody asked.
  package var ledger: Ledger? { simulation.ledger }

  /// Another device takes this one's place, at the event's time; the event says why and is fed to
  /// none.
  package mutating func replace<Failure: Error>(
    by device: D, noting event: Event, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: event.time, before: event.time, emit)
    if isInOrder(event) { try emit(event) } else { hold(event) }
    simulation.replace(by: device)
  }

  /// Sets whether transmitted bytes become events.
  package mutating func setShowsTransmits(_ showsTransmits: Bool) where D: RealTimeDevice {
    simulation.device.setShowsTransmits(showsTransmits, from: simulation.now)
    let hasOthers = !kinds.subtracting([.transmit]).isEmpty
    outputsEnd = showsTransmits || hasOthers ? nil : simulation.now + simulation.lag
  }

  /// Whether no output can have to be given before an event that comes in now.
  private func isInOrder(_ event: Event) -> Bool {
    if simulation.lag == .zero { return true }
    guard let outputsEnd else { return false }
    return event.time > outputsEnd && held.isEmpty
  }

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
    let end = end ?? last
    if simulation.lag > .zero { self.last = end }
    let hasLag = simulation.lag > .zero
    // What lags behind may yet come before what is held.
    try advance(to: end, before: hasLag ? end : .distantFuture, emit)
    deviceAtEnd = simulation.device
    guard hasLag else { return }
    try advance(to: end + simulation.lag, before: .distantFuture, emit)
  }

  /// At equal times inputs come before outputs, so an output is held until no input can come first.
  private mutating func advance<Failure: Error>(
    to target: Instant, before limit: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    while simulation.step(to: target) {
      for seen in simulation.outputs where kinds.contains(seen.output.kind) {
        if seen.time <= last { hold(Event(seen.time, seen.output)) }
      }
      try release(before: limit, emit)
    }
    try release(before: limit, emit)
  }

  /// Puts an event in its place among those that are held. Outputs come in order, and so does the
  /// rest; only where outputs lag behind does one of the two have to be put before the other.
  private mutating func hold(_ event: Event) {
    guard let last = held.last, comes(event, before: last) else { return held.append(event) }
    var index = held.count - 1
    while index > 0, comes(event, before: held[index - 1]) { index -= 1 }
    held.insert(event, at: index)
  }

  private func comes(_ event: Event, before other: Event) -> Bool {
    event.time < other.time
      || event.time == other.time && event.output == nil && other.output != nil
  }

  private mutating func release<Failure: Error>(
    before limit: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    var limit = limit
    if simulation.lag > .zero, limit != .distantFuture {
      limit = min(limit, simulation.now - simulation.lag)
    }
    var count = 0
    while count < held.count, held[count].time < limit {
      try emit(held[count])
      count += 1
    }
    held.removeFirst(count)
  }
}
