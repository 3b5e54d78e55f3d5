/// A board that runs one of the sketches.
///
/// This is the only place where the sketch is chosen at run time. Everything below it is generic
/// and compiled for each sketch; a call through `any Sketch` for each byte would be ten times
/// slower.
enum Boards: Hashable, Savable {
  case classic(Board<ClassicSketch>)
  case buzzer(Board<BuzzerSketch>)
  case guarded(Board<GuardedLoop>)

  init(_ firmware: Firmware, _ maker: BoardMaker) {
    switch firmware {
    case .classic: self = .classic(maker.make())
    case .buzzer: self = .buzzer(maker.make())
    case .guarded: self = .guarded(maker.make())
    }
  }

  var firmware: Firmware {
    switch self {
    case .classic: .classic
    case .buzzer: .buzzer
    case .guarded: .guarded
    }
  }

  @inline(__always)
  func read<Query: BoardQuery>(_ query: Query) -> Query.Answer {
    switch self {
    case .classic(let board): query.ask(board)
    case .buzzer(let board): query.ask(board)
    case .guarded(let board): query.ask(board)
    }
  }

  @inline(__always)
  mutating func perform(
    _ action: some BoardAction, _ line: inout SerialLine, _ recorder: inout Recorder
  ) {
    switch self {
    case .classic(var board):
      action.apply(to: &board, &line, &recorder)
      self = .classic(board)
    case .buzzer(var board):
      action.apply(to: &board, &line, &recorder)
      self = .buzzer(board)
    case .guarded(var board):
      action.apply(to: &board, &line, &recorder)
      self = .guarded(board)
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
