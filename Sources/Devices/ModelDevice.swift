package import Traces
package import Turret

/// The Swift model of a sketch on a board, in virtual time.
package struct ModelDevice: RestorableDevice, Hashable {
  package static let kind = "model"

  private var model: Model

  /// A model whose session begins as the trace's header says. `timing`: another build's figures.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, for header: Header, showsPulses: Bool
  ) {
    model = Model(
      firmware, timing: timing, baud: header.baud, isRunning: header.start == .unknown,
      showsPulses: showsPulses)
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

  package mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool {
    model.resume(firmware, at: instant, baud: baud, showsPulses: showsPulses)
  }

  // The model alone: what is around it is nobody's business.
  package init(from decoder: any Decoder) throws { model = try Model(from: decoder) }
  package func encode(to encoder: any Encoder) throws { try model.encode(to: encoder) }
}
