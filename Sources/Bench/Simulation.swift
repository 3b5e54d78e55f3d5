package import Traces
package import Turret

/// A device that is taken through a session: inputs at their times, outputs as they come.
package struct Simulation: Sendable {
  package private(set) var device: any Device
  package private(set) var recorder: Recorder
  /// How far the device has been taken.
  package private(set) var now = Instant.zero

  /// At most this much virtual time passes between two looks at the outputs, so that they need
  /// little memory.
  private static let slice = Interval.seconds(1)

  package init(_ device: any Device, keepsLedger: Bool = false) {
    self.device = device
    recorder = Recorder(keepsLedger: keepsLedger)
  }

  /// Takes the device to `end` and hands over the outputs, in order, some at a time.
  package mutating func advance<Failure: Error>(
    to end: Instant, _ handle: ([Event]) throws(Failure) -> Void
  ) throws(Failure) {
    while now < end {
      now = end - now > Self.slice ? now + Self.slice : end
      device.advance(to: now, into: &recorder)
      try handOver(handle)
    }
  }

  /// Takes the device to an event's time and, where the event is an input, feeds it.
  package mutating func feed<Failure: Error>(
    _ event: Event, _ handle: ([Event]) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: event.time, handle)
    switch event.kind {
    case .receive(let bytes): device.send(bytes, at: event.time)
    case .baud(let baud): device.setSenderBaud(baud)
    case .reset(let deadTime):
      device.reset(at: event.time, deadTime: deadTime, into: &recorder)
      try handOver(handle)
    case .output, .mark, .other: break
    }
  }

  /// The fate of every byte, those that are still on the line too; the session is over.
  package mutating func finishLedger() -> Ledger {
    var ledger = recorder.ledger ?? Ledger()
    for rest in device.takeUndelivered() { ledger.arrived(rest.byte, at: rest.end) }
    return ledger
  }

  private mutating func handOver<Failure: Error>(
    _ handle: ([Event]) throws(Failure) -> Void
  ) throws(Failure) {
    guard !recorder.outputs.isEmpty else { return }
    try handle(recorder.outputs)
    recorder.drain()
  }
}
