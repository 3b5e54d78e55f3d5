package import Sketches
package import Traces

/// Takes a device through a session: feeds inputs at their times and collects outputs.
///
///     while simulation.step(to: event.time) { use(simulation.outputs) }
///     simulation.feed(event)
package struct Simulation<D: Device>: Sendable {
  package var device: D
  private var recorder: Recorder
  /// How far the device has advanced.
  package private(set) var now: Instant
  private let slice: Interval
  private let takesInputs: Bool
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
    let capabilities = device.capabilities
    takesInputs = capabilities.takesInputs
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
    case .input(let input) where !takesInputs: return refuse(input, at: event.time)
    default: break
    }
    device.take(event, into: &recorder)
    if case .baud = event.kind { lag = max(lag, device.capabilities.lag) }
  }

  private mutating func refuse(_ input: BoardInput, at time: Instant) {
    guard refusal == nil else { return }
    refusal = DeviceError(
      .unsuitable,
      "error: the session applies a level or a voltage to \(input.pin.name) at "
        + "\(String(shortest: time - .zero)) s, which only a program on the emulated chip can "
        + "read: use --device avr:FILE")
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
