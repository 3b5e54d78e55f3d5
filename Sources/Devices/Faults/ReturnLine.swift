package import Sketches
package import Traces

/// The way from the board to the computer with its faults. It takes a session's events, and adds
/// one for each fault that struck. The bytes in the events stay those at the board's pin, as they
/// are in every trace; what the computer receives is given apart.
package struct ReturnLine: Hashable, Sendable {
  private var line: FaultyLine
  /// The line at the computer's end.
  private var received: OccupiedLine
  private var arrived: [FrameStart] = []

  /// Returns nil if no fault acts on that way. `baud` is the board's speed in bits a second.
  package init?(_ plan: FaultPlan?, baud: Int) {
    guard let plan, plan.specs.contains(where: { $0.isReturn }) else { return nil }
    line = FaultyLine(plan, baud: baud, isReturn: true)
    received = OccupiedLine(baud: baud)
  }

  package var unstruck: [FaultSpec] { line.unstruck }

  /// When a fault strikes, or a byte arrives, if the board sends nothing more; nil if never.
  package var nextDeadline: Instant? { line.nextDeadline }

  /// Takes the speed and the format in which the board sends from an instant on.
  package mutating func set(baud: Int, _ format: LineFormat, at instant: Instant) {
    if received.baud != baud {
      received.baud = baud
      line.take(Event(instant, .baud(baud)))
    }
    if received.format != format {
      received.format = format
      line.take(Event(instant, .format(format)))
    }
  }

  /// Passes the session's next event on, and those of faults that struck before it or at it.
  package mutating func pass<Failure: Error>(
    _ event: Event, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    try advance(to: event.time - .nanoseconds(1), emit)
    try emit(event)
    guard case .output(.transmit(let byte)) = event.kind else { return }
    line.take(Event(event.time, .receive([byte])))
    try advance(to: event.time, emit)
  }

  /// Advances to an instant, before which the session has no further events.
  package mutating func advance<Failure: Error>(
    to end: Instant, _ emit: (Event) throws(Failure) -> Void
  ) throws(Failure) {
    while let event = line.next(by: end) {
      switch event.kind {
      case .receive(let bytes):
        for byte in bytes {
          arrived.append(
            FrameStart(byte: WireByte(byte: byte), start: received.send(at: event.time)))
        }
      case .fault: try emit(event)
      default: break
      }
    }
  }

  /// Returns the bytes that have reached the computer since the last call, and when they began.
  package mutating func takeArrived() -> [(byte: UInt8, start: Instant)] {
    defer { arrived = [] }
    return arrived.map { ($0.byte.byte, $0.start) }
  }
}
