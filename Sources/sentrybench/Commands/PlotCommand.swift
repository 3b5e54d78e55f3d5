import ArgumentParser
import Devices
import Files
import Pictures
import Sessions
import Traces
import Turret
import Verification

struct PlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draw a session as one self-contained SVG.",
    discussion: """
      Shows the commanded angle, the pulses on the pin, the shaft, what the sketch was doing and \
      the bytes as they arrived, with those that were lost, and where the trace and the device \
      diverge. For a trace with uncertain times, it also shows the range of the commanded angle \
      over many timings, and when each byte can have arrived.
      """)

  @Argument(help: "The trace; - is standard input.")
  var trace: String

  @OptionGroup var deviceOptions: DeviceOptions

  @OptionGroup var worldOptions: WorldOptions

  @Option(help: "The virtual servo: sg90 (default) or mg996r.")
  var servo = ServoArgument(data: .sg90)

  @Option(
    help: "Show the session from this time on, for example 1.5s.", transform: TimeArgument.init)
  var from: TimeArgument?

  @Option(help: "Show the session up to this time, for example 2s.", transform: TimeArgument.init)
  var to: TimeArgument?

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    let start = from?.interval ?? .zero
    if let to, to.interval <= start {
      throw ValidationError(
        "--to must be later than --from: it is \(String(readable: to.interval)), and --from is "
          + "\(String(readable: start)).")
    }
  }

  func run() throws {
    let source = try deviceOptions.transparentSource()
    let input = try TraceInput(path: trace, isReadAgain: true)
    var reader = try input.reader()
    talk.report(reader.notes, about: trace)
    try length.limit(&reader)
    try plot(input, &reader, on: deviceOptions.source(source, for: reader.header))
  }

  /// Draws the trace of `input`; `first` is a reader at its start.
  private func plot(
    _ input: TraceInput, _ first: inout TraceReader, on source: some DeviceSource
  ) throws {
    let worlds = worldOptions.run
    if !source.reportsFates { try worldOptions.refuse() }
    let uncertainty = worlds.uncertainty(of: first.header, on: source)
    let divergence = try divergence(&first, uncertainty, on: source)
    let (start, end) = (Instant.zero + (from?.interval ?? .zero), first.header.end ?? first.time)
    guard start == .zero || start < end else {
      throw ValidationError(
        "--from is not before the session's end, which is at \(String(shortest: end - .zero)) s.")
    }

    var reader = try input.reader()
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: deviceOptions.firmware)
    let device = try source.makeDevice(
      for: reader.header, firmware: firmware, showsPulses: true)
    let isRecorded = source.observes(firmware).isEmpty
    var session = try PlottedSession.make(
      &reader, on: device, named: isRecorded ? source.name : deviceOptions.device,
      firmware: firmware, sketch: deviceOptions.sketch(of: reader.header), servo: servo.data,
      divergence: divergence, fileName: fileName, from: start,
      to: to.map { .zero + $0.interval } ?? .distantFuture)
    if let uncertainty, source.reportsFates {
      var again = try input.reader()
      let found = try worlds.explore(
        &again, uncertainty: uncertainty, on: source, firmware: deviceOptions.firmware,
        band: AngleBand(from: session.start, to: session.end, count: SessionPicture.columnCount))
      session.band = found.band
      session.worlds = found.findings.conditions
      let byteTime = ByteClock.byteTime(baud: first.header.baud)
      session.byteRanges = found.session.bytes.map {
        $0.earliest + byteTime...$0.latest + byteTime
      }
    }
    var file = try OutputFile(output)
    try file.write(Array(SessionPicture.svg(of: session).utf8))
    try file.finish()
  }

  /// Where the trace and a device diverge; nil if nowhere, or if there is nothing to compare with.
  private func divergence(
    _ reader: inout TraceReader, _ uncertainty: Interval?, on source: some DeviceSource
  ) throws -> Divergence? {
    var verification = Verification()
    verification.firmware = deviceOptions.firmware
    guard !source.observes(reader.header.firmware(unless: deviceOptions.firmware)).isEmpty else {
      // The time of the last event is needed.
      while try reader.next() != nil {}
      return nil
    }
    let verdict =
      if let uncertainty {
        try worldOptions.run.judge(&reader, uncertainty: uncertainty, on: source, verification)
          .verdict
      } else {
        try verification.verify(&reader, on: source)
      }
    switch verdict.outcome {
    case .diverges(let found): return found
    case .deviceFailed(let error): throw Failure(error, on: trace)
    default: return nil
    }
  }

  /// The trace's name without its folders; nil if it has none.
  private var fileName: String? {
    trace == "-" ? nil : trace.split(separator: "/").last.map(String.init)
  }
}
