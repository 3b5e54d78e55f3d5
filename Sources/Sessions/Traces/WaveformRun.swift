package import Captures
package import Devices
import Engine
import Platform
package import Sketches
package import Traces

package enum WaveformRun {
  /// Draws a trace's session, or that of a recording, as waveforms.
  ///
  /// - Parameters:
  ///   - files: the paths of the trace, or of a recording's files.
  ///   - options: facts that a recording does not contain.
  ///   - isRecorded: whether the trace's own outputs are drawn, as far as it has any.
  ///   - limit: the longest session to accept; nil for any.
  ///   - output: the path of the new file; `-` is standard output.
  package static func run(
    _ files: [String], _ options: CaptureOptions, as format: WaveformFormat, rate: SampleRate,
    isRecorded: Bool, on choice: DeviceChoice, limit: SessionLimit?, output: String,
    _ verbosity: Verbosity
  ) throws {
    func draw(on source: some DeviceSource) throws {
      let input = try open(files, options)
      var reader = try input.reader()
      verbosity.report(reader.notes, about: files[0])
      try reader.limit(to: limit)
      let firmware = try source.firmware(
        of: reader.header, in: reader.path, unless: choice.firmware)
      let device = try source.makeDevice(for: reader.header, firmware: firmware, showsPulses: true)
      var recorded: Set<Output.Kind> = []
      if isRecorded {
        recorded = try reader.kindsOfOutput() ?? []
        recorded.formUnion(reader.header.expects ?? [])
      }
      let plan = WaveformPlan(recorded: recorded, on: device.capabilities)
      verbosity.report([plan.sentence(device: choice.name)], about: files[0])
      let drawing = WaveformOutput(
        format, rate: rate, plan, deviceName: choice.name,
        timing: source.timing ?? firmware.sketch.timing,
        pins: format == .vcd
          ? try WavePins.named(in: input.reader(), on: device, adding: plan.added) : WavePins())
      var file = try OutputFile(output)
      let report = try drawing.draw(&reader, on: device) { try file.write($0) }
      verbosity.report(report.notes, about: files[0])
      try file.finish()
      if let fault = report.fault { throw fault }
    }
    try choice.requireVirtual("a waveform requires a device in virtual time")
    try draw(on: choice.source)
  }

  /// Opens the file as a trace that can be read more than once.
  private static func open(_ files: [String], _ options: CaptureOptions) throws -> TraceInput {
    if files.count == 1 {
      return try TraceInput(path: files[0], isReadAgain: true, options: options)
    }
    return try TraceInput(OpenedCapture(files, options).capture, path: files[0])
  }
}

/// Writes a trace as a file of waveforms.
package struct WaveformOutput {
  private let format: WaveformFormat
  private let rate: SampleRate
  private let drawing: WaveformDrawing
  private let deviceName: String
  private let pins: WavePins

  /// `timing` is the timing of the sketch whose widths become pulses. `pins` are drawn in VCD
  /// files.
  package init(
    _ format: WaveformFormat, rate: SampleRate, _ plan: WaveformPlan, deviceName: String,
    timing: Timing, pins: WavePins = WavePins()
  ) {
    self.format = format
    self.rate = rate
    self.pins = pins
    self.deviceName = deviceName
    drawing = WaveformDrawing(plan, timing: timing)
  }

  /// Draws a trace's session and passes the file to `write`, a part at a time.
  package func draw(
    _ reader: inout TraceReader, on device: some Device, _ write: ([UInt8]) throws -> Void
  ) throws -> WaveformDrawing.Report {
    var failure: (any Error)?
    func pass(_ bytes: [UInt8]) throws(CaptureError) {
      do {
        try write(bytes)
      } catch {
        failure = error
        throw CaptureError(.inputOutput, "the file cannot be written")
      }
    }
    do {
      switch format {
      case .vcd:
        return try drawing.drawVCD(
          &reader, on: device, named: deviceName, rate: rate, pins: pins, pass)
      case .sr:
        let sink = SigrokWriter(rate: rate, deflate: Zlib.deflate)
        return try drawing.draw(&reader, on: device, with: sink, rate: rate, pass)
      case .csv:
        return try drawing.draw(
          &reader, on: device, with: SigrokCSVWriter(rate: rate), rate: rate, pass)
      case .saleae:
        return try drawing.draw(
          &reader, on: device, with: SaleaeCSVWriter(rate: rate), rate: rate, pass)
      }
    } catch {
      throw failure ?? error
    }
  }
}
