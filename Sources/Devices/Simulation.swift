package import Traces
package import Turret

/// A device that is taken through a session: inputs at their times, outputs as they come.
///
///     while simulation.step(to: event.time) { use(simulation.outputs) }
///     simulation.feed(event)
package struct Simulation<D: Device>: Sendable {
  package internal(set) var device: D
  private var recorder: Recorder
  /// How far the device has been taken.
  package private(set) var now: Instant
  private let slice: Interval
  /// The sender's speed where it has changed it, bits a second.
  private var senderBaud: Int?
  /// Whether the outputs have been handed over and can be forgotten.
  private var isDrained = true

  /// At most this much virtual time passes between two looks at the outputs, so that they need
  /// little memory.
  private static var slice: Interval { .seconds(5) }
  /// In real time somebody may be watching.
  private static var watchedSlice: Interval { .milliseconds(50) }

  /// `start` is where the device is already.
  package init(_ device: D, at start: Instant = .zero, ledger: Ledger? = nil) {
    now = start
    self.device = device
    recorder = Recorder(ledger: ledger)
    let capabilities = device.capabilities
    slice = capabilities.clock == .host ? Self.watchedSlice : Self.slice
    lag = capabilities.lag
  }

  /// How long after an instant outputs of that instant may still come.
  package let lag: Interval
  /// Why the device does not work any more; nil while it does.
  package var fault: DeviceError? { device.fault }

  /// What the last step brought, in order.
  package var outputs: [Observation] { recorder.outputs }

  /// Another device takes this one's place. The sender is the same, and its speed.
  package mutating func replace(by device: D) {
    self.device = device
    if let senderBaud { self.device.setSenderBaud(senderBaud) }
  }

  /// Takes the device some way towards `end`. False when it is there and there is nothing new.
  package mutating func step(to end: Instant) -> Bool {
    if isDrained { recorder.drain() }
    isDrained = true
    if now < end {
      // Where nothing is due there is nothing to look at.
      let due = device.nextDeadline ?? end
      now = min(end, max(now + slice, due))
      device.advance(to: now, into: &recorder)
      return true
    }
    return !recorder.outputs.isEmpty
  }

  /// Feeds an event to the device, which must have been taken to the event's time.
  package mutating func feed(_ event: Event) {
    precondition(event.time <= now, "fed an event before its time")
    switch event.kind {
    case .receive(let bytes): device.send(bytes, at: event.time)
    case .baud(let baud):
      senderBaud = baud
      device.setSenderBaud(baud)
    case .reset(let deadTime):
      recorder.drain()
      isDrained = false
      device.reset(at: event.time, deadTime: deadTime, into: &recorder)
    case .output, .mark, .other: break
    }
  }

  /// What became of the bytes so far; nil where nobody asked.
  package var ledger: Ledger? { recorder.ledger }

  /// The fate of every byte, those that are still on the line too; the session is over.
  package mutating func finishLedger() -> Ledger {
    var ledger = recorder.ledger ?? Ledger()
    for rest in device.takeUndelivered() { ledger.arrived(rest.byte, at: rest.end) }
    return ledger
  }
}
