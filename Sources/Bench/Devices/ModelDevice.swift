package import Traces
package import Turret

/// The Swift model of a sketch on a board, in virtual time.
package struct ModelDevice: Device, Hashable {
  private var model: Model

  /// A model whose session begins as the trace's header says.
  package init(_ firmware: Firmware, for header: Header, showsPulses: Bool) {
    model = Model(
      firmware, baud: header.baud, isRunning: header.start == .unknown, showsPulses: showsPulses)
  }

  package var observes: Set<Output.Kind> { Set(Output.Kind.allCases) }
  package var nextDeadline: Instant? { model.nextDeadline }
  package var activity: Activity? { model.activity }
  package var waitingCount: Int? { model.waitingCount }
  package var onTheWayCount: Int { model.onTheWayCount }

  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    model.send(bytes, at: instant)
  }

  package mutating func setSenderBaud(_ baud: Int) { model.setSenderBaud(baud) }

  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    model.reset(at: instant, deadTime: deadTime, into: &recorder)
  }

  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    model.advance(to: end, into: &recorder)
  }

  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] {
    model.takeUndelivered()
  }
}
