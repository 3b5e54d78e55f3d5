package import Devices
package import Sketches
package import Traces

/// Draws a session while a device runs it.
package struct DrawnSession<D: Device, Sink: WaveSink> {
  /// Writes the sink's bytes, and empties it.
  package typealias Flush = (inout Sink) throws(CaptureError) -> Void

  /// The longest time between two steps of the waveform, which limits the memory for changes.
  private static var slice: Interval { .seconds(1) }

  private var simulation: Simulation<D>
  private let plan: WaveformPlan
  package private(set) var waveform: Waveform
  package var sink: Sink
  private var fates = FateFeed()
  private let watchesFates: Bool
  private var activity: Activity?
  private var waiting: Int?

  package init(_ device: D, _ plan: WaveformPlan, _ waveform: Waveform, into sink: Sink) {
    let capabilities = device.capabilities
    watchesFates = capabilities.reportsFates
    simulation = Simulation(
      device, ledger: watchesFates ? FateFeed.ledger : nil,
      watchesWires: !plan.driven.isEmpty)
    self.plan = plan
    self.waveform = waveform
    self.sink = sink
    noteActivity()
  }

  /// The device, for its remarks.
  package var device: D { simulation.device }
  package var fault: DeviceError? { simulation.fault }

  /// Advances to an event's time, and calls `flush` when the sink has bytes.
  package mutating func advance(to instant: Instant, _ flush: Flush) throws(CaptureError) {
    while simulation.now < instant, fault == nil {
      run(to: min(instant, simulation.now + Self.slice))
      try flow(to: simulation.now, flush)
    }
    run(to: instant)
  }

  /// Takes an event of the trace, after `advance` to its time.
  package mutating func take(_ event: Event) throws(CaptureError) {
    switch event.kind {
    case .receive(let bytes): waveform.send(bytes, at: event.time)
    case .baud(let baud): try waveform.setSenderBaud(baud)
    case .format(let format): waveform.setSenderFormat(format)
    case .senderBreak(let length): waveform.sendBreak(lasting: length, at: event.time)
    case .reset(let deadTime): waveform.reset(at: event.time, deadTime: deadTime)
    case .output(let output):
      if !plan.added.contains(output.kind) { waveform.take(output, at: event.time) }
    case .framingError(on: .rx, let byte): waveform.addFramingError(to: byte, at: event.time)
    default: break
    }
    guard event.isInput, fault == nil else { return }
    simulation.feed(event)
    run(to: event.time)
  }

  /// Ends the session and the file. `advance` must have reached `end`.
  package mutating func finish(at end: Instant, _ flush: Flush) throws(CaptureError) {
    // Some outputs lag.
    while fault == nil, simulation.now < end + simulation.lag {
      run(to: end + simulation.lag, upTo: end)
    }
    let last = waveform.close(at: end)
    while try waveform.step(to: last, into: &sink) { try flush(&sink) }
    try waveform.finish(&sink)
    try flush(&sink)
  }

  private mutating func flow(to instant: Instant, _ flush: Flush) throws(CaptureError) {
    while try waveform.step(to: instant - simulation.lag, into: &sink) { try flush(&sink) }
  }

  /// Runs the device. What it does after `end` is left out.
  private mutating func run(to instant: Instant, upTo end: Instant = .distantFuture) {
    // One deadline at a time, since fates and the activity are read after each.
    while watchesFates, simulation.now < instant {
      let soon = simulation.now + .nanoseconds(1)
      step(to: min(instant, max(simulation.device.nextDeadline ?? instant, soon)), upTo: end)
    }
    step(to: instant, upTo: end)
  }

  private mutating func step(to instant: Instant, upTo end: Instant) {
    while simulation.step(to: instant) {
      for seen in simulation.outputs where seen.time <= end {
        if plan.added.contains(seen.output.kind) { waveform.take(seen.output, at: seen.time) }
      }
      for change in simulation.wireChanges
      where change.time <= end && plan.driven.contains(change.wire) {
        waveform.take(change)
      }
    }
    guard watchesFates else { return }
    if let ledger = simulation.ledger {
      for item in fates.take(ledger, at: simulation.now) {
        waveform.took(item.byte, item.fate, at: item.instant)
      }
    }
    noteActivity()
  }

  private mutating func noteActivity() {
    guard watchesFates else { return }
    if let now = simulation.device.activity, now != activity {
      activity = now
      waveform.note(.state, .text(now.description), at: simulation.now)
    }
    if let count = simulation.device.waitingCount, count != waiting {
      waiting = count
      waveform.note(.waiting, .number(Double(count)), at: simulation.now)
    }
  }
}

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
    var run = DrawnSession(device, plan, waveform, into: sink)
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
