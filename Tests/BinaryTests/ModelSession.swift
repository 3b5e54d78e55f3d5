import Sketches
import Traces

extension Session {
  /// The model's session. `shifts` delays the bytes with these indices.
  init(model stream: SentStream, timing: Timing, shifts: [Int: Interval] = [:]) {
    switch stream.sketch {
    case .classic: self.init(ClassicSketch.self, stream, timing, shifts)
    case .guarded: self.init(GuardedLoop.self, stream, timing, shifts)
    }
  }

  private init<S: Sketch>(
    _: S.Type, _ stream: SentStream, _ timing: Timing, _ shifts: [Int: Interval]
  ) {
    // A USART at 16 MHz takes 208 times 8 cycles for a bit at 9600 baud. Busy telemetry adds up the
    // difference.
    var board = Board<S>(timing: timing, baud: 9_615, startingAt: .zero, showsPulses: false)
    var recorder = Recorder(ledger: Ledger())
    var resets = stream.inputs.compactMap { input in
      if case .reset(let deadTime) = input.kind {
        (time: input.time, deadTime: deadTime)
      } else {
        nil
      }
    }[...]
    for (index, arrival) in stream.arrivals.enumerated() {
      let end = arrival.end + (shifts[index] ?? .zero)
      while let reset = resets.first, reset.time <= end {
        board.reset(at: reset.time, deadTime: reset.deadTime, into: &recorder)
        resets.removeFirst()
      }
      board.receive(arrival.byte, at: end, into: &recorder)
    }
    for reset in resets {
      board.reset(at: reset.time, deadTime: reset.deadTime, into: &recorder)
    }
    board.advance(to: stream.end, into: &recorder)
    self.init(outputs: recorder.outputs, ledger: recorder.ledger?.entries ?? [])
  }
}
