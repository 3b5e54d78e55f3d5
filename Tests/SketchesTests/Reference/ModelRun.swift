@testable import Sketches

/// A model's run through a whole stream.
struct ModelRun {
  let outputs: [TimedOutput]
  let ledger: [Ledger.Entry]

  init(_ firmware: Firmware, _ stream: RandomStream, timing: Timing? = nil) {
    var model = Model(firmware, timing: timing, baud: 9_600, showsPulses: false)
    var recorder = Recorder(ledger: Ledger())
    for record in stream.records {
      let time = Instant(nanoseconds: Int64(record.time))
      model.advance(to: time, into: &recorder)
      model.send(record.bytes, at: time)
    }
    model.advance(to: Instant(nanoseconds: Int64(stream.end)), into: &recorder)
    outputs = recorder.outputs
    var ledger = recorder.ledger!
    for rest in model.takeUndelivered() { ledger.arrived(rest.byte, at: rest.end) }
    self.ledger = ledger.entries
  }

  func outputs(_ kind: Output.Kind) -> [TimedOutput] { outputs.filter { $0.output.kind == kind } }
}
