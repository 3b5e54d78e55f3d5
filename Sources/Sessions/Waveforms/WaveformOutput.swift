package import Captures
package import Devices
import Files
package import Traces
package import Turret
package import Waveforms

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
      return try draw(&reader, on: device, with: pass)
    } catch {
      throw failure ?? error
    }
  }

  private func draw(
    _ reader: inout TraceReader, on device: some Device,
    with write: ([UInt8]) throws(CaptureError) -> Void
  ) throws(TraceError) -> WaveformDrawing.Report {
    switch format {
    case .vcd:
      return try drawing.drawVCD(
        &reader, on: device, named: deviceName, rate: rate, pins: pins, write)
    case .sr:
      let sink = SigrokWriter(rate: rate, deflate: Zlib.deflate)
      return try drawing.draw(&reader, on: device, with: sink, rate: rate, write)
    case .csv:
      let sink = SigrokCSVWriter(rate: rate)
      return try drawing.draw(&reader, on: device, with: sink, rate: rate, write)
    case .saleae:
      let sink = SaleaeCSVWriter(rate: rate)
      return try drawing.draw(&reader, on: device, with: sink, rate: rate, write)
    }
  }
}
