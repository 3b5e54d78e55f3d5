package import Traces
package import Turret

/// The Swift model of a sketch on a board, at the end of a line, in virtual time.
package struct ModelDevice<S: Sketch>: Device, Hashable {
  private var line: SerialLine
  private var board: Board<S>

  package init(timing: Timing = S.measuredTiming, baud: Int, start: Header.Start, showsPulses: Bool)
  {
    line = SerialLine(baud: baud)
    switch start {
    case .reset:
      board = Board(timing: timing, baud: baud, startingAt: .zero, showsPulses: showsPulses)
    case .unknown:
      board = Board(timing: timing, baud: baud, runningAt: .zero, showsPulses: showsPulses)
    }
  }

  package var observes: Set<Output.Kind> { Set(Output.Kind.allCases) }

  package var nextDeadline: Instant? {
    guard let arrival = line.nextDeadline else { return board.nextDeadline }
    return board.nextDeadline.map { min($0, arrival) } ?? arrival
  }

  package var activity: Activity? { board.sketch.activity }
  package var waitingCount: Int? { board.ring.count }

  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    line.send(bytes, at: instant)
  }

  package mutating func setSenderBaud(_ baud: Int) { line.senderBaud = baud }

  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    board.reset(at: instant, deadTime: deadTime, into: &recorder)
  }

  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while let arrival = line.next(by: end) {
      board.receive(arrival.byte, at: arrival.end, into: &recorder)
    }
    board.advance(to: end, into: &recorder)
  }

  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] {
    var rest: [(byte: UInt8, end: Instant)] = []
    while let arrival = line.next(by: .distantFuture) { rest.append(arrival) }
    return rest
  }
}
