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
    guard event.output == nil, !event.isReported else { return }
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
    for seen in simulation.notes where seen.time <= last { hold(Event(seen.time, .run(seen.note))) }
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

extension Device {
  /// Takes an input of a session, and ignores any other event. The device must have advanced to the
  /// event's time. Live, recorded, judged and simulated sessions all feed a device by this.
  package mutating func take(_ event: Event, into recorder: inout Recorder) {
    switch event.kind {
    case .receive(let bytes): send(bytes, at: event.time)
    case .framingError(on: .rx, let byte): addFramingError(to: byte)
    case .baud(let baud): setSenderBaud(baud)
    case .format(let format): setSenderFormat(format)
    case .senderBreak(let length): sendBreak(lasting: length, at: event.time)
    case .reset(let deadTime): reset(at: event.time, deadTime: deadTime, into: &recorder)
    case .input(let input): set(input, at: event.time)
    case .output, .mark, .refused, .unsent, .fault, .framingError, .lineBreak, .gap, .shaft,
      .truth, .supply, .twitch, .run, .missed, .other:
      break
    }
  }
}

/// Takes a device through a session: feeds inputs at their times and collects outputs.
///
///     while simulation.step(to: event.time) { use(simulation.outputs) }
///     simulation.feed(event)
package struct Simulation<D: Device>: Sendable {
  package var device: D
  private var recorder: Recorder
  package private(set) var now: Instant
  private let slice: Interval
  private let capabilities: DeviceCapabilities
  /// The sender's speed in bits a second; nil if it has not changed it.
  private var senderBaud: Int?
  /// Its format; nil if it has not changed it.
  private var senderFormat: LineFormat?
  /// Whether the caller has had the outputs, so that they can be discarded.
  private var isDrained = true

  /// Returns whether the run is to end early; nil for one that does not. It is called before each
  /// step, and steps are short then. After it has returned true, the device does nothing more.
  package var isOver: (@Sendable () -> Bool)?
  /// How far the device had advanced when the run ended early; nil if it did not.
  package private(set) var cut: Instant?

  /// The longest virtual time in one step, which limits the memory for outputs.
  private static var slice: Interval { .seconds(5) }
  /// The same if the run can end early, and for a device that can be slow.
  private static var shortSlice: Interval { .milliseconds(500) }
  private static var slowSlice: Interval { .milliseconds(5) }
  /// The same in real time: shorter, for a live display.
  private static var watchedSlice: Interval { .milliseconds(50) }

  /// The device is already at `start`.
  package init(
    _ device: D, at start: Instant = .zero, ledger: Ledger? = nil, watchesWires: Bool = false
  ) {
    now = start
    self.device = device
    recorder = Recorder(ledger: ledger, watchesWires: watchesWires)
    capabilities = device.capabilities
    slice = capabilities.clock == .host ? Self.watchedSlice : Self.slice
    lag = capabilities.lag
  }

  /// How long after an instant its outputs can still appear. A lower speed of the sender can
  /// lengthen it, since a byte that is sampled takes longer; it never becomes shorter.
  package private(set) var lag: Interval
  /// Why the device no longer works; nil while it does.
  package var fault: DeviceError? { refusal ?? device.fault }
  /// The error for an event that the device cannot take; nil if there was none.
  private var refusal: DeviceError?

  /// The outputs of the last step, in order.
  package var outputs: [TimedOutput] { recorder.outputs }
  /// The pulses of the last step that were not as the sketch had stored.
  package var twitches: [TimedTwitch] { recorder.twitches }
  /// What the device reported in the last step of how its program runs.
  package var notes: [TimedRunNote] { recorder.notes }
  /// The changes of the wires in the last step; empty unless requested. See `Recorder.wireChanges`.
  package var wireChanges: [WireChange] { recorder.wireChanges ?? [] }

  /// Replaces the device. The sender, its speed and its format stay the same.
  package mutating func replace(by device: D) {
    self.device = device
    if let senderBaud { self.device.setSenderBaud(senderBaud) }
    if let senderFormat { self.device.setSenderFormat(senderFormat) }
    lag = max(lag, self.device.capabilities.lag)
  }

  /// Advances the device some way towards `end`. Returns false if it has reached `end` and there is
  /// nothing new.
  // Otherwise each property is looked up in the type's metadata.
  @_specialize(where D == Model)
  package mutating func step(to end: Instant) -> Bool {
    let wasDrained = isDrained
    if isDrained { recorder.drain() }
    isDrained = true
    if now < end {
      if let isOver {
        if cut == nil, isOver() { cut = now }
        guard cut == nil else {
          now = end
          return false
        }
      }
      now = next(towards: end)
      device.advance(to: now, into: &recorder)
      return true
    }
    // To ask the recorder copies it, which costs as much as all else in a step.
    return !wasDrained && !recorder.isEmpty
  }

  /// Returns how far to advance in one step.
  private func next(towards end: Instant) -> Instant {
    if isOver != nil, device.canBeSlow { return min(end, now + Self.slowSlice) }
    let slice = isOver == nil ? slice : min(slice, Self.shortSlice)
    // If nothing is due, there is nothing to collect. To find what is due can take long.
    return end - now <= slice ? end : min(end, max(now + slice, device.nextDeadline ?? end))
  }

  /// Feeds an event to the device, which must have advanced to the event's time.
  package mutating func feed(_ event: Event) {
    precondition(event.time <= now, "fed an event before its time")
    guard cut == nil else { return }
    switch event.kind {
    case .baud(let baud): senderBaud = baud
    case .format(let format): senderFormat = format
    case .reset:
      recorder.drain()
      isDrained = false
    case .input(let input):
      if let reason = capabilities.refusal(of: input) { return refuse(reason, at: event.time) }
    default: break
    }
    device.take(event, into: &recorder)
    if case .baud = event.kind { lag = max(lag, device.capabilities.lag) }
  }

  private mutating func refuse(_ reason: String, at time: Instant) {
    guard refusal == nil else { return }
    refusal = DeviceError(
      .unsuitable,
      "error: the session's input at \(String(shortest: time - .zero)) s is refused: \(reason)")
  }

  /// The fates of the bytes so far; nil unless requested.
  package var ledger: Ledger? { recorder.ledger }

  /// Ends the session. Returns the fate of every byte, including those still on the line.
  package mutating func finishLedger() -> Ledger {
    var ledger = recorder.ledger ?? Ledger()
    for rest in device.takeUndelivered() { ledger.arrived(rest.byte, at: rest.end) }
    ledger.dropUnlisted()
    return ledger
  }
}

package protocol DeviceSource<Made>: Sendable {
  associatedtype Made: RealTimeDevice

  /// The device's name in the `source` of a trace recorded on it.
  var name: String { get }
  /// The maximum number of simultaneous sessions; nil if unlimited.
  var sessionCountMax: Int? { get }
  /// Another build's figures that its devices use; nil for the measured ones.
  var timing: Timing? { get }
  /// Whether its devices run in virtual time, so that their outputs' times never vary.
  var isVirtual: Bool { get }
  /// What is applied to the pins of its devices before they start. Sessions record it as events at
  /// time 0.
  var inputs: [BoardInput] { get }
  /// Whether its devices report how their sketch takes each byte.
  var reportsFates: Bool { get }
  /// Whether its sketch can be any program, whatever firmware is named.
  var runsAnyProgram: Bool { get }
  /// The path of the file of the program that its devices run; nil if there is none.
  var programFile: String? { get }
  /// Whether its sketch is so busy with its pins that trying it in virtual time would take long.
  var isRestless: Bool { get }
  /// Whether the time of a servo event is that of the sketch's store, not of a later pulse.
  var showsStores: Bool { get }
  /// Whether its devices compare the pulses of servos with what the sketch stored.
  var showsTwitches: Bool { get }
  /// The pulses of 0 and 180 degrees of all servos of its devices; nil if that is not stated.
  var servoRange: ServoRange? { get }
  /// The pins whose levels its devices report.
  var pins: PinSelection { get }
  /// Returns the kinds of output that can be observed on a device with that firmware, before one
  /// exists.
  func observes(_ firmware: Firmware) -> Set<Output.Kind>
  /// Returns the speed that its sketch sets first, in bits a second, found without a session; nil
  /// if that is unknown. It can take some milliseconds.
  func findSpeed() -> Int?
  /// Returns the format that its sketch sets first, found in the same way; 8N1 if that is unknown.
  /// Senders that have no format of their own use it.
  func findFormat() -> LineFormat
  /// Throws if there is no device, as far as can be determined without disturbing it.
  func check() throws(DeviceError)
  /// Creates the device for a session that begins as its header states, with a firmware's
  /// behaviour.
  func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) throws(DeviceError) -> Made
  /// Returns a device that is absent, for which `rejoin` can be tried; nil if the device
  /// cannot appear later.
  func absent(_ firmware: Firmware, baud: Int, for error: DeviceError) -> Made?
  /// Returns the device, just restarted, after it was gone, for a session whose time 0 was at
  /// `origin`; nil if it is not back.
  func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> Made?
}

extension DeviceSource {
  package var timing: Timing? { nil }
  package var sessionCountMax: Int? { nil }
  package var isVirtual: Bool { true }
  package var inputs: [BoardInput] { [] }
  package var reportsFates: Bool { false }
  package var runsAnyProgram: Bool { false }
  package var programFile: String? { nil }
  package var isRestless: Bool { false }
  package var showsStores: Bool { true }
  package var showsTwitches: Bool { false }
  package var servoRange: ServoRange? { nil }
  package var pins: PinSelection { .some([]) }
  package func findSpeed() -> Int? { nil }
  package func findFormat() -> LineFormat { .standard }
  package func check() throws(DeviceError) {}
  package func absent(
    _ firmware: Firmware, baud: Int, for error: DeviceError
  ) -> Made? { nil }

  package func rejoin(
    for header: Header, firmware: Firmware, since origin: HostTime
  ) throws(DeviceError) -> Made? { nil }
}

extension DeviceSource {
  /// Returns the firmware that a trace is replayed as: the requested one, or else the trace's own,
  /// or else guarded. Throws if the trace names a sketch that no model behaves as, and the devices
  /// are models. `path` is the trace's, for the message.
  package func firmware(
    of header: Header, in path: String, unless requested: Firmware?
  ) throws(TraceError) -> Firmware {
    if requested == nil, !runsAnyProgram, let name = header.otherFirmware {
      throw TraceError(
        .malformed, path: path, line: 1,
        "no model behaves as the sketch \(PlainText.quoted(name)); --device avr:FILE replays the "
          + "trace on its program, and --firmware on \(Firmware.list)")
    }
    return header.firmware(unless: requested)
  }

  /// How far the times of a trace can be off, as `stated` or else by its header; nil if they count
  /// as exact. A device in real time cannot replay a session a thousand times.
  package func uncertainty(of header: Header, unless stated: Interval?) -> Interval? {
    guard isVirtual, let uncertainty = stated ?? header.uncertainty, uncertainty > .zero else {
      return nil
    }
    return uncertainty
  }

  /// Returns the notes about a session whose speed is not that of the sketch: at most one sentence.
  /// `speed` is the result of `findSpeed`, `fact` what is at the session's speed `baud`.
  package func speedNotes(
    at baud: Int, speed: Int?, _ fact: String = "the trace was recorded"
  ) -> [String] {
    guard let speed, abs(speed - baud) * 100 > baud * 3 else { return [] }
    return ["\(fact) at \(baud) baud, and the sketch set its USART to \(speed) baud"]
  }
}

/// Creates Swift models in virtual time.
package struct ModelSource: DeviceSource {
  package let timing: Timing?

  /// `timing` is another build's figures, nil for the measured ones.
  package init(timing: Timing? = nil) { self.timing = timing }

  package var name: String { "model" }
  package var reportsFates: Bool { true }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    Model.observes
  }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> Model {
    Model(firmware, timing: timing, for: header, showsPulses: showsPulses)
  }
}

extension Model: RealTimeDevice {
  /// Creates a model whose session begins as the trace's header states. `timing` is another build's
  /// figures, nil for the measured ones.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, for header: Header, showsPulses: Bool
  ) {
    self.init(
      firmware, timing: timing, baud: header.baud, isRunning: header.start == .unknown,
      showsPulses: showsPulses)
  }
}
