/// Creates a board for any sketch.
struct BoardMaker {
  /// Another build's figures; nil for the measured ones.
  var timing: Timing?
  /// The port's speed in bits a second.
  var baud: Int
  /// Whether the board has already been running for some time at time 0. If not, it is reset then.
  var isRunning: Bool
  var showsPulses: Bool

  func make<S: Sketch>() -> Board<S> {
    let timing = timing ?? S.measuredTiming
    return isRunning
      ? Board(timing: timing, baud: baud, runningAt: .zero, showsPulses: showsPulses)
      : Board(timing: timing, baud: baud, startingAt: .zero, showsPulses: showsPulses)
  }
}
