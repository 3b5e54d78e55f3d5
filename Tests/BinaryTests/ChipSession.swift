import AVR
import ChipDevice
import Devices
import Sketches
import Traces

extension Session {
  /// The binary's session on the emulated chip behind the line, replayed like any trace.
  init(chip stream: SentStream, source: AVRSource, watch: some ChipWatch) throws {
    var device = source.makeDevice(
      for: stream.header, firmware: stream.sketch.firmware, showsPulses: false)
    var watch = watch
    var recorder = Recorder(ledger: Ledger())
    watch.prepare(&device.chip)

    /// The device has to deliver a byte at its beginning and end.
    let byteTime = ByteClock.byteTime(baud: 9_600)
    var stops = stream.arrivals.flatMap { [$0.end - byteTime, $0.end] }[...]
    func advance(to end: Instant) {
      while let stop = stops.first, stop <= end {
        stops.removeFirst()
        runTo(stop)
      }
      runTo(end)
    }
    func runTo(_ instant: Instant) {
      let cycle = UInt64((instant.nanoseconds * 2 + 124) / 125)
      watch.run(&device.chip, until: cycle + 1, into: &recorder)
      device.advance(to: instant, into: &recorder)
    }

    for input in stream.inputs {
      advance(to: input.time)
      switch input.kind {
      case .receive(let bytes): device.send(bytes, at: input.time)
      case .reset(let deadTime):
        watch.reset(into: &recorder)
        device.reset(at: input.time, deadTime: deadTime, into: &recorder)
      default: preconditionFailure("no such input in a stream")
      }
    }
    advance(to: stream.end)
    self.init(outputs: recorder.outputs, ledger: recorder.ledger?.entries ?? [])
    complaint = device.fault?.description ?? device.remarks.first ?? watch.complaint
  }
}
