package import Sketches
package import Traces

/// Feeds a trace's inputs to a device and emits the resulting trace: the inputs and notes unchanged
/// and the device's outputs, in canonical order.
package struct Replay<D: Device>: Sendable {
  package var simulation: Simulation<D>
  /// The simulation's, kept here because it is read for each event (see `step`).
  private var lag: Interval
  private let end: Instant?
  /// Outputs after this instant are discarded.
  private var last = Instant.distantFuture
  /// Outputs whose position among the inputs is not known yet, and inputs that an output may still
  /// precede.
  private var held: [Event] = []
  /// Whether to emit a kind of output, by the kind's number. A set would hash each output's kind,
  /// which would take an eighth of a replay's time.
  private let emits: [Bool]
  /// The instant after which no output can precede an event; nil while outputs are possible.
  private var outputsEnd: Instant?

  /// The replay ends at `end`; nil for the last event. The device is already at `start`.
  package init(
    _ device: D, from start: Instant = .zero, until end: Instant?,
    kinds: Set<Output.Kind>, ledger: Ledger? = nil
  ) {
    simulation = Simulation(device, at: start, ledger: ledger)
    lag = simulation.lag
    self.end = end
    emits = Output.Kind.allCases.map { kinds.contains($0) }
  }

  /// Takes the next event of the replayed trace. The trace's outputs are ignored.
  package mutating func take<Failure: Error>(
    _ event: Event, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    guard event.output == nil, event.twitch == nil else { return }
    let isInTime = event.time <= end ?? event.time
    try advance(to: isInTime ? event.time : end ?? event.time, before: event.time, emit)
    if isInOrder(event) { try emit(event) } else { hold(event) }
    // Events after the end are copied but not fed to the device.
    if isInTime { feed(event) }
  }

  /// The device at the end of the replay. The replay may have advanced further since.
  package private(set) var deviceAtEnd: D?
  /// The fates of the bytes so far; nil unless requested.
  package var ledger: Ledger? { simulation.ledger }

  /// Replaces the device at the event's time. The event states why and is not fed to a device.
  package mutating func replace<Failure: Error>(
    by device: D, noting event: Event, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: event.time, before: event.time, emit)
    if isInOrder(event) { try emit(event) } else { hold(event) }
    simulation.replace(by: device)
    lag = simulation.lag
  }

  /// Sets whether transmitted bytes become events.
  package mutating func setShowsTransmits(_ showsTransmits: Bool) where D: RealTimeDevice {
    simulation.device.setShowsTransmits(showsTransmits, from: simulation.now)
    let hasOthers = Output.Kind.allCases.contains { $0 != .transmit && emits[$0.rawValue] }
    outputsEnd = showsTransmits || hasOthers ? nil : simulation.now + lag
  }

  /// Whether an event that arrives now can be emitted at once, because no output can precede it.
  private func isInOrder(_ event: Event) -> Bool {
    if lag == .zero { return true }
    guard let outputsEnd else { return false }
    return event.time > outputsEnd && held.isEmpty
  }

  /// Advances up to and including `instant`. The next event must be later than that.
  package mutating func pass<Failure: Error>(
    to instant: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: instant, before: instant + .nanoseconds(1), emit)
  }

  /// Ends the replay. `last` is the time of the last event.
  package mutating func finish<Failure: Error>(
    after last: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    let end = end ?? last
    let hasLag = lag > .zero
    if hasLag {
      self.last = end
      // The device can have advanced further than the last event.
      held.removeAll { $0.time > end }
    }
    // Late outputs may still precede the held events.
    try advance(to: end, before: hasLag ? end : .distantFuture, emit)
    deviceAtEnd = simulation.device
    guard hasLag else { return }
    try advance(to: end + lag, before: .distantFuture, emit)
  }

  /// At equal times inputs precede outputs, so an output is held until no input can precede it.
  private mutating func advance<Failure: Error>(
    to target: Instant, before limit: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    while step(to: target) { try release(before: limit, emit) }
    try release(before: limit, emit)
  }

  // `step` and `feed` are compiled for the model too. Otherwise each use of the simulation would
  // look up the types' metadata, a tenth of a replay's time. They are separate from the functions
  // that are generic over the failure, because a specialization fixes all types.

  /// Advances the device some way towards `target` and holds its outputs. Returns false if it has
  /// reached `target` and there is nothing new.
  @_specialize(where D == Model)
  private mutating func step(to target: Instant) -> Bool {
    guard simulation.step(to: target) else { return false }
    for seen in simulation.outputs where seen.time <= last && emits[seen.output.kind.rawValue] {
      hold(Event(seen.time, seen.output))
    }
    for seen in simulation.twitches where seen.time <= last {
      hold(Event(seen.time, .twitch(seen.twitch)))
    }
    return true
  }

  @_specialize(where D == Model)
  private mutating func feed(_ event: Event) {
    simulation.feed(event)
    if case .baud = event.kind { lag = simulation.lag }
  }

  /// Inserts an event among the held ones. Outputs arrive in order, and so do other events; they
  /// need to be merged only if outputs lag.
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
    if lag > .zero, limit != .distantFuture {
      limit = min(limit, simulation.now - lag)
    }
    var count = 0
    while count < held.count, held[count].time < limit {
      try emit(held[count])
      count += 1
    }
    held.removeFirst(count)
  }
}

extension Header {
  /// The header of the trace that a replay of this one writes. The name of a sketch that no model
  /// behaves as is kept unless a firmware is `requested`. `source` is the device's name. `start` is
  /// the instant of the state from which it continues, nil for the beginning; `end` is where it
  /// ends, nil for this trace's end.
  package func replayed(
    unless requested: Firmware?, on capabilities: DeviceCapabilities, source: String,
    from start: Instant? = nil, until end: Instant? = nil
  ) -> Header {
    var header = self
    if requested != nil || otherFirmware == nil {
      header.set(firmware: firmware(unless: requested))
    }
    header.set(clock: capabilities.clock)
    if capabilities.start == .unknown { header.set(start: .unknown) }
    if let end { header.set(duration: end - .zero) }
    if let start { header.set(from: start) }
    header.set(source: "sentrybench, \(source)")
    return header
  }
}
