package import Captures
package import Devices
package import Traces
package import Turret

/// Draws a trace's session as waveforms.
package struct WaveformDrawing {
  /// The remarks about a file that has been written.
  package struct Report {
    package var notes: [String]
    /// Why the device stopped working; nil if it did not. The file is complete up to that instant.
    package var fault: DeviceError?
  }

  private let plan: WaveformPlan
  private let timing: Timing

  /// `timing` is that of the sketch whose widths become pulses.
  package init(_ plan: WaveformPlan, timing: Timing) {
    self.plan = plan
    self.timing = timing
  }

  /// Draws a VCD file with pins, and passes it to `write` a part at a time. `name` is the device's.
  package func drawVCD(
    _ reader: inout TraceReader, on device: some Device, named name: String,
    rate: SampleRate = .standard, pins: WavePins,
    _ write: ([UInt8]) throws(CaptureError) -> Void
  ) throws(TraceError) -> Report {
    let origin = plan.sentence(device: name)
    let comment = reader.header.title.map { "\($0) (\(origin))" } ?? origin
    let rate = VCDWriter.rate(for: rate)
    let sink = VCDWriter(rate: rate, notes: plan.notes, comment: comment, pins: pins)
    return try draw(&reader, on: device, with: sink, rate: rate, pins: pins, write)
  }

  /// Draws a file of any format, and passes it to `write` a part at a time.
  package func draw<Sink: WaveSink>(
    _ reader: inout TraceReader, on device: some Device, with sink: Sink, rate: SampleRate,
    pins: WavePins = WavePins(), _ write: ([UInt8]) throws(CaptureError) -> Void
  ) throws(TraceError) -> Report {
    func flush(_ sink: inout Sink) throws(CaptureError) {
      try write(sink.bytes)
      sink.bytes.removeAll(keepingCapacity: true)
    }
    /// `line` is that of the trace; 0 after its last.
    func attempt<Result>(
      line: Int, _ work: () throws(CaptureError) -> Result
    ) throws(TraceError) -> Result {
      do throws(CaptureError) {
        return try work()
      } catch {
        throw TraceError(.usage, path: reader.path, line: line, error.message)
      }
    }
    let waveform = try attempt(line: 1) { () throws(CaptureError) in
      try Waveform(
        rate: rate, baud: reader.header.baud, driven: plan.driven,
        deriving: plan.derivesPulses ? DerivedPulses(timing) : nil, pins: pins)
    }
    var run = WaveformRun(device, plan, waveform, into: sink)
    let end = reader.header.end
    while let event = try reader.next() {
      // What follows the end is not part of the session.
      guard event.time <= end ?? event.time else { continue }
      try attempt(line: reader.line) { () throws(CaptureError) in
        try run.advance(to: event.time, flush)
        try run.take(event)
      }
      if run.fault != nil { break }
    }
    let last = run.fault == nil ? end ?? reader.time : min(end ?? reader.time, reader.time)
    try attempt(line: 0) { () throws(CaptureError) in
      try run.advance(to: last, flush)
      try run.finish(at: last, flush)
    }
    return Report(notes: run.device.remarks + run.waveform.remarks, fault: run.fault)
  }
}
