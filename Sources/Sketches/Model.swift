/// A serial line and a board that runs one of the sketches.
package struct Model: OnSerialLine, Hashable, Sendable, Codable {
  package var line: SerialLine
  private var boards: Boards

  /// Creates a model whose board is reset at time 0 or, with `isRunning`, has already been running
  /// for some time. Its port runs at `baud` bits a second. `timing` replaces the measured figures
  /// with another build's.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, baud: Int, isRunning: Bool = false,
    showsPulses: Bool
  ) {
    line = SerialLine(baud: baud)
    boards = Boards(
      firmware, timing: timing, baud: baud, isRunning: isRunning, showsPulses: showsPulses)
  }

  /// Continues at `instant` after the model was read from a file. Returns false if no model could
  /// run on from there.
  package mutating func resume(at instant: Instant, showsPulses: Bool) -> Bool {
    line.canResume(at: instant) && boards.resume(at: instant, showsPulses: showsPulses)
  }

  /// When something next happens if nothing more is sent; nil if never.
  package var nextDeadline: Instant? {
    let board = boards.read(NextDeadline())
    guard let arrival = line.nextDeadline else { return board }
    return board.map { min($0, arrival) } ?? arrival
  }

  package var activity: Activity? { boards.read(PresentActivity()) }

  package var waitingCount: Int? { boards.read(WaitingCount()) }

  /// Restarts the board. The bootloader owns the line for `deadTime`.
  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    boards.perform(Reset(instant: instant, deadTime: deadTime), &line, &recorder)
  }

  /// Does everything due up to and including `end`.
  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    boards.perform(Advance(end: end), &line, &recorder)
  }
}

/// A board that runs one of the sketches.
///
/// This is the only place where the sketch is chosen at run time. Everything below it is generic
/// and compiled for each sketch; a call through `any Sketch` for each byte would be ten times
/// slower.
struct Boards: Hashable, Codable {
  let firmware: Firmware
  // Only that of the firmware is there. Not an enum, because each change of its payload would copy
  // the board four times.
  var classic: Board<ClassicSketch>?
  var buzzer: Board<BuzzerSketch>?
  var guarded: Board<GuardedLoop>?

  /// The parameters are those of `Model`.
  init(_ firmware: Firmware, timing: Timing?, baud: Int, isRunning: Bool, showsPulses: Bool) {
    func make<S: Sketch>() -> Board<S> {
      let timing = timing ?? S.measuredTiming
      return isRunning
        ? Board(timing: timing, baud: baud, runningAt: .zero, showsPulses: showsPulses)
        : Board(timing: timing, baud: baud, startingAt: .zero, showsPulses: showsPulses)
    }
    self.firmware = firmware
    switch firmware {
    case .classic: classic = make()
    case .buzzer: buzzer = make()
    case .guarded: guarded = make()
    }
  }

  /// Continues as `Board.resume`. Returns false if the firmware's board is missing, too.
  mutating func resume(at instant: Instant, showsPulses: Bool) -> Bool {
    switch firmware {
    case .classic: classic?.resume(at: instant, showsPulses: showsPulses) ?? false
    case .buzzer: buzzer?.resume(at: instant, showsPulses: showsPulses) ?? false
    case .guarded: guarded?.resume(at: instant, showsPulses: showsPulses) ?? false
    }
  }

  @inline(__always)
  func read<Query: BoardQuery>(_ query: Query) -> Query.Answer {
    switch firmware {
    case .classic: query.ask(classic!)
    case .buzzer: query.ask(buzzer!)
    case .guarded: query.ask(guarded!)
    }
  }

  @inline(__always)
  mutating func perform(
    _ action: some BoardAction, _ line: inout SerialLine, _ recorder: inout Recorder
  ) {
    switch firmware {
    case .classic: action.apply(to: &classic!, &line, &recorder)
    case .buzzer: action.apply(to: &buzzer!, &line, &recorder)
    case .guarded: action.apply(to: &guarded!, &line, &recorder)
    }
  }
}

/// A query that works on a board with any sketch.
protocol BoardQuery {
  associatedtype Answer
  func ask(_ board: Board<some Sketch>) -> Answer
}

/// A change that works on a board with any sketch.
protocol BoardAction {
  func apply<S: Sketch>(
    to board: inout Board<S>, _ line: inout SerialLine, _ recorder: inout Recorder)
}

private struct NextDeadline: BoardQuery {
  func ask(_ board: Board<some Sketch>) -> Instant? { board.nextDeadline }
}

private struct PresentActivity: BoardQuery {
  func ask(_ board: Board<some Sketch>) -> Activity { board.sketch.activity }
}

private struct WaitingCount: BoardQuery {
  func ask(_ board: Board<some Sketch>) -> Int { board.ring.count }
}

private struct Advance: BoardAction {
  let end: Instant

  func apply<S: Sketch>(
    to board: inout Board<S>, _ line: inout SerialLine, _ recorder: inout Recorder
  ) {
    while let arrival = line.next(by: end) {
      board.receive(arrival.byte, at: arrival.end, into: &recorder)
    }
    board.advance(to: end, into: &recorder)
  }
}

private struct Reset: BoardAction {
  let instant: Instant
  let deadTime: Interval

  func apply<S: Sketch>(
    to board: inout Board<S>, _ line: inout SerialLine, _ recorder: inout Recorder
  ) {
    board.reset(at: instant, deadTime: deadTime, into: &recorder)
  }
}
