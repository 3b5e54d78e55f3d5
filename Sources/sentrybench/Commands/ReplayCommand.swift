import ArgumentParser
import Bench
import Traces
import Turret

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Feed one trace to a device and print the trace that results.",
    discussion: """
      Inputs, marks and x- events are carried over; the outputs are the device's. With --send there \
      is no trace: those bytes are sent at 1.5 s.
      """)

  @Argument(help: "The trace; - is standard input.")
  var trace: String?

  @Option(help: "Bytes to send at 1.5 s instead of a trace.")
  var send: String?

  @Option(name: .customLong("for"), help: "How long a session with --send takes. Default: 5s.")
  var length: TimeArgument?

  @OptionGroup var deviceOptions: DeviceOptions

  @Option(
    help: "The virtual servo whose shaft is added as x-shaft events: sg90 or mg996r.")
  var servo: ServoArgument?

  @Flag(help: "Write the 50 pulse events a second too; otherwise only when the trace has some.")
  var pulses = false

  @Flag(help: "Print no events, only one JSON object that sums the session up.")
  var summary = false

  @Option(name: .shortAndLong, help: "Where the result goes; - is standard output.")
  var output = "-"

  @OptionGroup var talk: TalkOptions

  func validate() throws {
    switch (trace, send) {
    case (nil, nil): throw ValidationError("Give a trace, or bytes with --send.")
    case (_?, _?): throw ValidationError("Give a trace or --send, not both.")
    case (_?, nil):
      if length != nil { throw ValidationError("--for goes with --send.") }
    case (nil, _?): break
    }
    if summary && servo != nil { throw ValidationError("--servo has no place in a --summary.") }
  }

  func run() throws {
    let source = try deviceOptions.source()
    var reader = try openReader()
    let firmware = reader.header.firmware(unless: deviceOptions.firmware)
    if (pulses || servo != nil) && !source.observes(firmware).contains(.pulse) {
      throw ValidationError("--pulses and --servo want a device that shows pulses, no board.")
    }
    let showsPulses = try pulses || reader.hasPulses
    let device = try source.makeDevice(
      for: reader.header, firmware: firmware, showsPulses: showsPulses || servo != nil)
    var kinds = device.observes
    if !showsPulses { kinds.remove(.pulse) }

    var file = try OutputFile(output)
    if summary {
      let summary = try Summary(&reader, device, until: reader.header.end, counting: kinds)
      if let fault = summary.fault { throw fault }
      try file.write(Array((summary.json + "\n").utf8))
    } else {
      try replay(&reader, device, firmware, kinds, from: source.name, into: &file)
    }
    try file.finish()
  }

  private func replay(
    _ reader: inout TraceReader, _ device: any Device, _ firmware: Firmware,
    _ kinds: Set<Output.Kind>, from source: String, into file: inout OutputFile
  ) throws {
    var header = reader.header
    header.set(firmware: firmware)
    header.set(clock: device.clock)
    if device.start == .unknown { header.set(start: .unknown) }
    header.set(source: "sentrybench, \(source)")
    var line: [UInt8] = []
    line.appendLine(header)
    try file.write(line)

    var shaft = servo.map { ShaftTrack($0.data) }
    let observed = shaft == nil ? kinds : kinds.union([.pulse])
    var replay = Replay(device, until: header.end, kinds: observed)
    func emit(_ event: Event, _ file: inout OutputFile) throws(Failure) {
      for added in shaft?.take(event) ?? [] { try put(added, into: &file) }
      if let output = event.output, !kinds.contains(output.kind) { return }
      try put(event, into: &file)
    }
    while let event = try reader.next() {
      try replay.take(event) { (event) throws(Failure) in try emit(event, &file) }
      if let fault = replay.fault { throw fault }
    }
    let last = reader.time
    try replay.finish(after: last) { (event) throws(Failure) in try emit(event, &file) }
    if let fault = replay.fault { throw fault }
    let end = header.end ?? last
    for added in shaft?.finish(at: end) ?? [] { try put(added, into: &file) }
  }

  private func put(_ event: Event, into file: inout OutputFile) throws(Failure) {
    var line: [UInt8] = []
    line.appendLine(event)
    try file.write(line)
  }

  private func openReader() throws -> TraceReader {
    if let trace { return try TraceReader(path: trace) }
    let duration = length?.interval ?? .seconds(5)
    let header = Header(
      firmware: deviceOptions.firmware ?? .guarded, duration: duration, title: nil)
    var text: [UInt8] = []
    text.appendLine(header)
    if let send, !send.isEmpty {
      let start = Instant.zero + .milliseconds(1_500)
      text.appendLine(Event(start, .receive(Array(send.utf8))))
    }
    return try TraceReader(text: text, path: "--send")
  }
}
