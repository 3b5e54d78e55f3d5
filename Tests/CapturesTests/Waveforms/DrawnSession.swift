import Captures
import Sketches
import TestSupport

/// A session that a test draws, and the file that results.
struct DrawnSession {
  var rate = SampleRate.standard
  var baud = 9_600
  var driven: Set<BoardWire> = []
  var deriving: DerivedPulses?
  var pins = WavePins()
  /// Passes what happens to the waveform, in order of time.
  var script: (inout Waveform) throws -> Void = { _ in }
  var end: Instant

  /// Draws the session into a sink, in steps of this length if one is given, to show that the steps
  /// do not matter.
  func draw<Sink: WaveSink>(into sink: Sink, step: Interval? = nil) throws -> (Sink, Waveform) {
    var sink = sink
    var waveform = try Waveform(
      rate: rate, baud: baud, driven: driven, deriving: deriving, pins: pins)
    try script(&waveform)
    let last = waveform.close(at: end)
    if let step {
      var now = Instant.zero
      while now < last {
        now += step
        while try waveform.step(to: min(now, last), into: &sink) {}
      }
    }
    while try waveform.step(to: last, into: &sink) {}
    try waveform.finish(&sink)
    return (sink, waveform)
  }

  func vcd(comment: String = "") throws -> String {
    let writer = VCDWriter(rate: rate, notes: WaveNote.allCases, comment: comment, pins: pins)
    return String(decoding: try draw(into: writer).0.bytes, as: UTF8.self)
  }

  var remarks: [String] {
    get throws { try draw(into: SaleaeCSVWriter(rate: rate)).1.remarks }
  }

  /// Draws a file in a format, and reads it back.
  func read(_ format: WaveformFormat, step: Interval? = nil) throws -> WaveFile {
    func text(_ sink: some WaveSink) throws -> String {
      String(decoding: try draw(into: sink, step: step).0.bytes, as: UTF8.self)
    }
    switch format {
    case .vcd:
      return WaveFile(
        vcd: try text(VCDWriter(rate: rate, notes: WaveNote.allCases, comment: "")))
    case .saleae: return WaveFile(saleae: try text(SaleaeCSVWriter(rate: rate)))
    case .csv:
      return WaveFile(
        sigrokCSV: try text(SigrokCSVWriter(rate: rate)), rate: Double(rate.hertz))
    case .sr:
      let zip = try StoredZip(try draw(into: SigrokWriter(rate: rate, deflate: StoredZip.store)).0)
      var samples: [UInt8] = []
      var number = 1
      while let member = zip.members["logic-1-\(number)"] {
        samples += member
        number += 1
      }
      return WaveFile(
        samples: samples, names: BoardWire.allCases.map { $0.channelName }, rate: Double(rate.hertz)
      )
    }
  }
}
