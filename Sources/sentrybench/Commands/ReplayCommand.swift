import ArgumentParser
import Devices
import Files
import Sessions
import States
import Traces
import Turret

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Feed one trace to a device and print the trace that results.",
    discussion: """
      Inputs, marks and x- events are copied; the outputs are those of the device. With --send \
      there is no trace, and the bytes are sent at 1.5 s. The outputs of --until and --from-state \
      together equal the output of one replay of the same trace. A session of more than a day is \
      refused unless --until, --summary or --allow-long is given.
      """)

  @Argument(help: "The trace; - is standard input.")
  var trace: String?

  @Option(help: "Bytes to send at 1.5 s instead of a trace.")
  var send: String?

  @Option(
    name: .customLong("for"), help: "The length of a session with --send. Default: 5s.",
    transform: TimeArgument.init)
  var sendLength: TimeArgument?

  @OptionGroup var deviceOptions: DeviceOptions

  @Option(
    help: "The virtual servo whose shaft is added as x-shaft events: sg90 or mg996r.")
  var servo: ServoArgument?

  @Flag(
    help:
      "Also write the 50 pulse events a second. By default they are written if the trace has any.")
  var pulses = false

  @Flag(help: "Print one JSON object that sums up the session, and no events.")
  var summary = false

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var states: StateOptions
  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws {
    switch (trace, send) {
    case (nil, nil): throw ValidationError("Give a trace, or bytes with --send.")
    case (_?, _?): throw ValidationError("Give a trace or --send, not both.")
    case (_?, nil):
      if sendLength != nil { throw ValidationError("--for requires --send.") }
    case (nil, _?): break
    }
    if states.isGiven && deviceOptions.isBoard {
      throw ValidationError(
        "--save-state and --from-state require a device in virtual time: the state of a board can "
          + "be neither read nor restored."
      )
    }
    if let state = states.saveState, state == output {
      throw ValidationError("The state and the trace require two different files.")
    }
    if states.fromState != nil {
      if send != nil { throw ValidationError("--from-state requires a trace, not --send.") }
      if servo != nil {
        throw ValidationError(
          "--servo cannot be combined with --from-state: a state contains no shaft.")
      }
      if deviceOptions.timing != nil {
        throw ValidationError(
          "--timing cannot be combined with --from-state: a state has its own timing.")
      }
      if states.fromState == "-" && trace == "-" {
        throw ValidationError("The state and the trace cannot both be read from standard input.")
      }
    }
    if summary && servo != nil {
      throw ValidationError("--servo cannot be combined with --summary.")
    }
  }

  func run() throws { try replay(on: deviceOptions.source()) }

  private func replay(on source: some DeviceSource) throws {
    var reader = try openReader(on: source)
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: deviceOptions.firmware)
    if (pulses || servo != nil) && !source.observes(firmware).contains(.pulse) {
      throw ValidationError(
        "--pulses and --servo require a device that shows pulses; a board does not.")
    }
    let state = try states.read(for: reader.header, firmware)
    try states.check(reader.header, against: state)
    // Checked before the work is done.
    _ = try states.saveState.map { (path) throws(Failure) in try OutputSlot(path) }
    let showsPulses = try pulses || reader.hasPulses
    let pulses = showsPulses || servo != nil
    guard let state else {
      let device = try source.makeDevice(
        for: reader.header, firmware: firmware, showsPulses: pulses)
      return try replay(
        &reader, device, firmware, showsPulses, from: source.name, after: nil, source.inputs)
    }
    guard let restorable = source as? any RestorableSource else {
      throw ValidationError("--from-state requires a device whose state can be restored.")
    }
    reader.from = state.time
    func resume(on source: some RestorableSource) throws {
      let device = try source.restore(state, showsPulses: pulses)
      try replay(&reader, device, firmware, showsPulses, from: source.name, after: state, [])
    }
    try resume(on: restorable)
  }

  /// Replays the trace on a device, which may have been restored from `state`. `inputs` is what is
  /// applied to its pins at time 0.
  private func replay(
    _ reader: inout TraceReader, _ device: some Device, _ firmware: Firmware, _ showsPulses: Bool,
    from source: String, after state: StateFile?, _ inputs: [BoardInput]
  ) throws {
    if trace != nil, states.end == nil, !summary {
      try length.limit(
        &reader, from: state?.time ?? .zero,
        remedy: "--until TIME replays a part of it, --allow-long all of it")
    }
    reader.until = states.end ?? .distantFuture
    var device = device
    var kinds = device.capabilities.observes
    if kinds.contains(.pin) { device.watch(try reader.levelPins) }
    if !showsPulses { kinds = kinds.filter { !$0.isOnRequest } }

    var file = try OutputFile(output)
    var fault: DeviceError?
    if summary {
      let summary = try Summary(
        &reader, device, from: state?.time ?? .zero, until: states.end ?? reader.header.end,
        counting: kinds)
      report(summary.device)
      if let fault = summary.fault { throw fault }
      try states.write(summary.device, firmware, reader.header)
      try file.write(Array((summary.json + "\n").utf8))
    } else {
      fault = try replay(
        &reader, device, firmware, kinds, from: source, after: state, inputs, into: &file)
    }
    try file.finish()
    if let fault { throw fault }
  }

  /// Reports the device's remarks about its program.
  private func report(_ device: some Device) {
    guard !talk.quiet else { return }
    for remark in device.remarks { Console.report(remark) }
  }

  private func replay(
    _ reader: inout TraceReader, _ device: some Device, _ firmware: Firmware,
    _ kinds: Set<Output.Kind>, from source: String, after state: StateFile?,
    _ inputs: [BoardInput], into file: inout OutputFile
  ) throws -> DeviceError? {
    let header = reader.header.replayed(
      unless: deviceOptions.firmware, on: device.capabilities, source: source, from: state?.time,
      until: states.end)
    var line: [UInt8] = []
    line.appendLine(header)
    try file.write(line)

    var shaft = servo.map { ShaftTrack($0.data) }
    let observed = shaft == nil ? kinds : kinds.union([.pulse])
    var replay = Replay(
      device, from: state?.time ?? .zero, until: header.end, kinds: observed)
    func emit(_ event: Event, _ file: inout OutputFile) throws(Failure) {
      guard shaft != nil else { return try file.writeLine(event) }
      for added in shaft?.take(event) ?? [] { try file.writeLine(added) }
      // The shaft can require pulses that the trace does not show.
      if let output = event.output, !kinds.contains(output.kind) { return }
      try file.writeLine(event)
    }
    for input in inputs {
      try replay.take(Event(.zero, .input(input))) { (event) throws(Failure) in
        try emit(event, &file)
      }
    }
    while let event = try reader.next() {
      try replay.take(event) { (event) throws(Failure) in try emit(event, &file) }
      if replay.simulation.fault != nil { break }
    }
    let last = reader.time
    try replay.finish(after: last) { (event) throws(Failure) in try emit(event, &file) }
    report(replay.simulation.device)
    // The outputs before the fault are kept.
    if let fault = replay.simulation.fault { return fault }
    let end = header.end ?? last
    for added in shaft?.finish(at: end) ?? [] { try file.writeLine(added) }
    try states.write(replay.deviceAtEnd ?? replay.simulation.device, firmware, reader.header)
    return nil
  }

  private func openReader(on source: some DeviceSource) throws -> TraceReader {
    if let trace {
      let reader = try TraceReader(path: trace)
      talk.report(
        reader.notes + source.speedNotes(reader.header, speed: source.findSpeed()), about: trace)
      return reader
    }
    let duration = sendLength?.interval ?? .seconds(5)
    let header = Header(
      firmware: deviceOptions.firmware ?? .guarded, baud: source.findSpeed() ?? 9_600,
      duration: duration, title: nil)
    var text: [UInt8] = []
    text.appendLine(header)
    if let send, !send.isEmpty {
      let start = Instant.zero + .milliseconds(1_500)
      text.appendLine(Event(start, .receive(Array(send.utf8))))
    }
    return try TraceReader(text: text, path: "--send")
  }
}
