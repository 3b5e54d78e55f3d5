/// Makes a board, whatever its sketch.
struct BoardMaker {
  /// Another build's figures; nil: those that were measured.
  var timing: Timing?
  /// The port's speed, bits a second.
  var baud: Int
  /// Whether the board has been running for some time at time 0; otherwise it is reset then.
  var isRunning: Bool
  var showsPulses: Bool

  func make<S: Sketch>() -> Board<S> {
    let timing = timing ?? S.measuredTiming
    return isRunning
      ? Board(timing: timing, baud: baud, runningAt: .zero, showsPulses: showsPulses)
      : Board(timing: timing, baud: baud, startingAt: .zero, showsPulses: showsPulses)
  }
}
