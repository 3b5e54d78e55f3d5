/// The turret as it stands on the table: a line, and a board at its end with one of the sketches on
/// it.
///
/// The one place where the sketch is chosen when the program runs. Below it all is generic and
/// compiled for each sketch; a call through `any Sketch` for each byte would cost a factor of ten.
package struct Model: Hashable, Sendable, Savable {
  private enum Boards: Hashable, Savable {
    case classic(Board<ClassicSketch>)
    case buzzer(Board<BuzzerSketch>)
    case guarded(Board<GuardedLoop>)
  }

  private var line: SerialLine
  private var boards: Boards

  /// A model whose board is reset at time 0, or has been running for some time (`isRunning`), its
  /// port at `baud` bits a second. `timing`: another build's figures.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, baud: Int, isRunning: Bool = false,
    showsPulses: Bool
  ) {
    func board<S: Sketch>(_: S.Type) -> Board<S> {
      let timing = timing ?? S.measuredTiming
      return isRunning
        ? Board(timing: timing, baud: baud, runningAt: .zero, showsPulses: showsPulses)
        : Board(timing: timing, baud: baud, startingAt: .zero, showsPulses: showsPulses)
    }
    line = SerialLine(baud: baud)
    switch firmware {
    case .classic: boards = .classic(board(ClassicSketch.self))
    case .buzzer: boards = .buzzer(board(BuzzerSketch.self))
    case .guarded: boards = .guarded(board(GuardedLoop.self))
    }
  }

  /// Goes on at `instant` after it was read from a file. False: no model of that firmware whose
  /// board's port is at `baud` can be like this then.
  package mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool {
    guard line.isPossible(baud: baud) else { return false }
    func resume(_ board: inout Board<some Sketch>) -> Bool {
      board.resume(at: instant, baud: baud, showsPulses: showsPulses)
    }
    switch (boards, firmware) {
    case (.classic(var board), .classic):
      guard resume(&board) else { return false }
      boards = .classic(board)
    case (.buzzer(var board), .buzzer):
      guard resume(&board) else { return false }
      boards = .buzzer(board)
    case (.guarded(var board), .guarded):
      guard resume(&board) else { return false }
      boards = .guarded(board)
    case (.classic, _), (.buzzer, _), (.guarded, _): return false
    }
    return line.nextDeadline.map { $0 > instant } ?? true
  }

  /// When something happens next if nothing more is sent; nil: never.
  package var nextDeadline: Instant? {
    let board: Instant? =
      switch boards {
      case .classic(let board): board.nextDeadline
      case .buzzer(let board): board.nextDeadline
      case .guarded(let board): board.nextDeadline
      }
    guard let arrival = line.nextDeadline else { return board }
    return board.map { min($0, arrival) } ?? arrival
  }

  /// What the sketch is doing.
  package var activity: Activity? {
    switch boards {
    case .classic(let board): board.sketch.activity
    case .buzzer(let board): board.sketch.activity
    case .guarded(let board): board.sketch.activity
    }
  }

  /// How many bytes wait in the ring.
  package var waitingCount: Int? {
    switch boards {
    case .classic(let board): board.ring.count
    case .buzzer(let board): board.ring.count
    case .guarded(let board): board.ring.count
    }
  }

  /// How many bytes have been sent and have not arrived yet.
  package var onTheWayCount: Int { line.count }

  /// Sends bytes from `instant` on, or from when the line is free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    line.send(bytes, at: instant)
  }

  /// The sender's speed for what is sent from here on, bits a second.
  package mutating func setSenderBaud(_ baud: Int) { line.senderBaud = baud }

  /// Restarts the board; the bootloader owns the line for `deadTime`.
  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    switch boards {
    case .classic(var board):
      board.reset(at: instant, deadTime: deadTime, into: &recorder)
      boards = .classic(board)
    case .buzzer(var board):
      board.reset(at: instant, deadTime: deadTime, into: &recorder)
      boards = .buzzer(board)
    case .guarded(var board):
      board.reset(at: instant, deadTime: deadTime, into: &recorder)
      boards = .guarded(board)
    }
  }

  /// Does what is due up to and including `end`.
  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    switch boards {
    case .classic(var board):
      Self.advance(&line, &board, to: end, into: &recorder)
      boards = .classic(board)
    case .buzzer(var board):
      Self.advance(&line, &board, to: end, into: &recorder)
      boards = .buzzer(board)
    case .guarded(var board):
      Self.advance(&line, &board, to: end, into: &recorder)
      boards = .guarded(board)
    }
  }

  private static func advance<S: Sketch>(
    _ line: inout SerialLine, _ board: inout Board<S>, to end: Instant,
    into recorder: inout Recorder
  ) {
    while let arrival = line.next(by: end) {
      board.receive(arrival.byte, at: arrival.end, into: &recorder)
    }
    board.advance(to: end, into: &recorder)
  }

  /// Takes what is still on the line off it: each byte and the end of its stop bit.
  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] {
    var rest: [(byte: UInt8, end: Instant)] = []
    while let arrival = line.next(by: .distantFuture) { rest.append(arrival) }
    return rest
  }
}
