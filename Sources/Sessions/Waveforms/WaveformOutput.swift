package import Captures
package import Devices
import Files
package import Traces
package import Turret

/// A trace as a file of waveforms.
package struct WaveformOutput {
  private let format: WaveformFormat
  private let rate: SampleRate
  private let plan: WaveformPlan
  private let deviceName: String
  private let timing: Timing
  private let pins: WavePins

  /// What there is to report about a file that has been written.
  package struct Report {
    package var notes: [String]
    /// Why the device no longer works; nil if it does. The file is complete up to there.
    package var fault: DeviceError?
  }

  /// `timing` is that of the sketch whose widths become pulses. `pins` are drawn in VCD files.
  package init(
    _ format: WaveformFormat, rate: SampleRate, _ plan: WaveformPlan, deviceName: String,
    timing: Timing, pins: WavePins = WavePins()
  ) {
    self.format = format
    self.pins = pins
    self.rate = format == .vcd ? VCDWriter.rate(for: rate) : rate
    self.plan = plan
    self.deviceName = deviceName
    self.timing = timing
  }

  /// Draws a trace's session and gives the file to `write`, a part at a time.
  package func draw(
    _ reader: inout TraceReader, on device: some Device, _ write: ([UInt8]) throws -> Void
  ) throws -> Report {
    switch format {
    case .vcd:
      let origin = plan.sentence(device: deviceName)
      let comment = reader.header.title.map { "\($0) (\(origin))" } ?? origin
      let sink = VCDWriter(rate: rate, notes: plan.notes, comment: comment, pins: pins)
      return try draw(&reader, on: device, with: sink, write)
    case .sr:
      let sink = SigrokWriter(rate: rate, deflate: Zlib.deflate)
      return try draw(&reader, on: device, with: sink, write)
    case .csv: return try draw(&reader, on: device, with: SigrokCSVWriter(rate: rate), write)
    case .saleae: return try draw(&reader, on: device, with: SaleaeCSVWriter(rate: rate), write)
    }
  }

  private func draw<Sink: WaveSink>(
    _ reader: inout TraceReader, on device: some Device, with sink: Sink,
    _ write: ([UInt8]) throws -> Void
  ) throws -> Report {
    let path = reader.path
    var line = 1
    func flush(_ sink: inout Sink) throws {
      try write(sink.bytes)
      sink.bytes.removeAll(keepingCapacity: true)
    }
    do {
      let waveform = try Waveform(
        rate: rate, baud: reader.header.baud, driven: plan.driven,
        deriving: plan.derivesPulses ? DerivedPulses(timing) : nil,
        pins: format == .vcd ? pins : WavePins())
      var run = WaveformRun(device, plan, waveform, into: sink)
      let end = reader.header.end
      while let event = try reader.next() {
        line = reader.line
        // What follows the end is not part of the session.
        guard event.time <= end ?? event.time else { continue }
        try run.advance(to: event.time, flush)
        try run.take(event)
        if run.fault != nil { break }
      }
      line = 0
      let last = run.fault == nil ? end ?? reader.time : min(end ?? reader.time, reader.time)
      try run.advance(to: last, flush)
      try run.finish(at: last, flush)
      return Report(notes: run.device.remarks + run.waveform.remarks, fault: run.fault)
    } catch let error as CaptureError {
      throw TraceError(.usage, path: path, line: line, error.message)
    }
  }
}
