package import Captures
package import Devices
import Engine
import Judging
import Platform
package import Sketches
import States
package import Traces

/// Feeds a trace to a device and writes the trace that results.
package struct ReplayRun: Sendable {
  /// What is fed to the device.
  package enum Input: Sendable {
    /// The trace at a path; `-` is standard input.
    case trace(String)
    /// Bytes that are sent at 1.5 s of a session of that length. `baud` is the board's speed in
    /// bits a second; nil for that of its program.
    case bytes([UInt8], length: Interval, baud: Int? = nil)
  }

  private let input: Input
  private let choice: DeviceChoice
  private let output: String
  /// How a recording by another tool is read.
  package var recording = CaptureOptions()
  /// The servo whose shaft is added; nil if none is.
  package var servo: ServoData?
  /// Whether pulses are written although the trace has none.
  package var showsPulses = false
  /// Whether a summary of the session is written instead of its events.
  package var printsSummary = false
  /// Whether it is reported how deep the program's stack was.
  package var showsStack = false
  /// The fewest bytes that must be free below the stack; nil for any number.
  package var stackMargin: Int?
  package var states = ReplayStates()
  /// The longest session to accept; nil for any.
  package var limit: SessionLimit? = SessionLimit()
  /// The faults on the sender's line; nil for none.
  package var faults: FaultPlan?
  package var verbosity = Verbosity.normal

  private static let sendingTime = Instant.zero + .milliseconds(1_500)

  /// - Parameter output: the path of the new trace; `-` is standard output.
  package init(_ input: Input, on choice: DeviceChoice, output: String) {
    self.input = input
    self.choice = choice
    self.output = output
  }

  package func run() throws { try run(on: choice.source) }

  private func run(on source: some DeviceSource) throws {
    var reader = try openReader(on: source)
    reader.refusals = .copied
    let firmware = try source.firmware(
      of: reader.header, in: reader.path, unless: choice.firmware)
    if (self.showsPulses || servo != nil) && !source.observes(firmware).contains(.pulse) {
      throw Failure.misuse(
        "--pulses and --servo require a device that shows pulses; a board does not.")
    }
    let state = try states.read(for: reader.header, firmware)
    try states.check(reader.header, against: state)
    // Checked before the work is done.
    _ = try states.target.map { (path) throws(Failure) in try OutputSlot(path) }
    let showsPulses = try self.showsPulses || reader.hasPulses
    let pulses = showsPulses || servo != nil
    guard let state else {
      let device = try source.makeDevice(
        for: reader.header, firmware: firmware, showsPulses: pulses)
      return try replay(
        &reader, device, firmware, showsPulses, from: source.name, after: nil, source.inputs)
    }
    guard let restorable = source as? any RestorableSource else {
      throw Failure.misuse("--from-state requires a device whose state can be restored.")
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
  private func showStack(_ stack: StackUse?) {
    guard let stack, showsStack, verbosity != .quiet else { return }
    Console.report("\(programName): note: \(stack.text)")
  }

  private var programName: String { choice.source.programFile ?? "the program" }

  private func replay(
    _ reader: inout TraceReader, _ device: some Device, _ firmware: Firmware, _ showsPulses: Bool,
    from source: String, after state: StateFile?, _ inputs: [BoardInput]
  ) throws {
    if case .trace = input, states.end == nil, !printsSummary {
      var limit = limit
      limit?.remedy = "--until TIME replays a part of it, --allow-long all of it"
      try reader.limit(to: limit, from: state?.time ?? .zero)
    }
    reader.until = states.end ?? .distantFuture
    var device = device
    var kinds = device.capabilities.observes
    if kinds.contains(.pin) {
      device.watch(try reader.levelPins)
      device.watch(.some(reader.header.pins))
    }
    if !showsPulses { kinds = kinds.filter { !$0.isOnRequest } }
    try recordStack(of: &device)

    var file = printsSummary ? try OutputFile(output) : try OutputFile(trace: output)
    var fault: DeviceError?
    var stack: StackUse?
    if printsSummary {
      let summary = try Summary(
        &reader, device, from: state?.time ?? .zero, until: states.end ?? reader.header.end,
        counting: kinds)
      verbosity.report(summary.device)
      if let fault = summary.fault {
        try report(fault, summary.device.stackUse)
      }
      try states.write(summary.device, firmware, reader.header)
      try file.write(Array((summary.json + "\n").utf8))
      try file.finish()
      return try check(summary.device.stackUse)
    } else {
      (fault, stack) = try replay(
        &reader, device, firmware, kinds, from: source, after: state, inputs, into: &file)
    }
    try file.finish()
    if let fault { try report(fault, stack) }
    try check(stack)
  }

  /// Reports a fault of the device, after the stack that it had by then.
  private func report(_ fault: DeviceError, _ stack: StackUse?) throws -> Never {
    showStack(stack)
    throw fault
  }

  /// Records the device's run if its stack is asked for.
  private func recordStack(of device: inout some Device) throws(Failure) {
    guard showsStack || stackMargin != nil else { return }
    device.recordRun(wholly: false)
    let capabilities = device.capabilities
    guard capabilities.recordsRuns else {
      throw Failure.misuse(
        "--stack and --stack-margin require the emulated chip (--device avr:FILE).")
    }
    if stackMargin != nil, !capabilities.findsVariables {
      throw Failure(
        .malformed,
        "\(programName): error: --stack-margin requires an .elf with its symbols: this file does "
          + "not show where the variables end")
    }
  }

  /// Reports how deep the stack was, and fails if too few bytes were free below it.
  private func check(_ stack: StackUse?) throws(Failure) {
    if !printsSummary { showStack(stack) }
    guard let stack, let stackMargin else { return }
    let name = programName
    guard let room = stack.room else {
      throw Failure(
        .malformed,
        "\(name): error: --stack-margin cannot be checked: the program uses several stacks")
    }
    guard room.bytes < stackMargin else { return }
    throw Failure(
      .disagree,
      "\(name): error: \(room.complaint), and --stack-margin requires \(stackMargin); "
        + stack.depth)
  }

  private func replay(
    _ reader: inout TraceReader, _ device: some Device, _ firmware: Firmware,
    _ kinds: Set<Output.Kind>, from source: String, after state: StateFile?,
    _ inputs: [BoardInput], into file: inout OutputFile
  ) throws -> (fault: DeviceError?, stack: StackUse?) {
    let header = reader.header.replayed(
      unless: choice.firmware, on: device.capabilities, source: source, from: state?.time,
      until: states.end)
    var text: [UInt8] = []
    text.appendLine(header)
    try file.write(text)

    var shaft = servo.map { ShaftTrack($0) }
    var returnLine = ReturnLine(faults, baud: header.baud)
    // Asked once, because to look at either copies it, and this is for each event.
    let (showsShaft, disturbsReturn) = (shaft != nil, returnLine != nil)
    let observed = showsShaft ? kinds.union([.pulse]) : kinds
    var replay = Replay(
      device, from: state?.time ?? .zero, until: header.end, kinds: observed)
    func put(_ event: Event, _ file: inout OutputFile) throws(Failure) {
      guard showsShaft else { return try file.writeLine(event) }
      for added in shaft?.take(event) ?? [] { try file.writeLine(added) }
      // The shaft can require pulses that the trace does not show.
      if let output = event.output, !kinds.contains(output.kind) { return }
      try file.writeLine(event)
    }
    func emit(_ event: Event, _ file: inout OutputFile) throws(Failure) {
      guard disturbsReturn else { return try put(event, &file) }
      try returnLine?.pass(event) { (event) throws(Failure) in try put(event, &file) }
      _ = returnLine?.takeArrived()
    }
    for input in inputs {
      try replay.take(Event(.zero, .input(input))) { (event) throws(Failure) in
        try emit(event, &file)
      }
    }
    var line = faults.map { FaultyLine($0, baud: header.baud) }
    /// Takes what has passed the faults by an instant.
    func takeDisturbed(by end: Instant, _ file: inout OutputFile) throws(Failure) {
      while let event = line?.next(by: end) {
        try replay.take(event) { (event) throws(Failure) in try emit(event, &file) }
      }
    }
    while let event = try reader.next() {
      if line == nil {
        try replay.take(event) { (event) throws(Failure) in try emit(event, &file) }
      } else if event.output == nil {
        // What strikes before it is not kept until then.
        try takeDisturbed(by: event.time - .nanoseconds(1), &file)
        line?.take(event)
        try takeDisturbed(by: event.time, &file)
      }
      if replay.simulation.fault != nil { break }
    }
    var last = reader.time
    if let line {
      // Without a duration, the session lasts until all bytes have arrived.
      if header.end == nil { last = line.arrivalEnd(after: last) }
      try takeDisturbed(by: header.end ?? last, &file)
    }
    try replay.finish(after: last) { (event) throws(Failure) in try emit(event, &file) }
    try returnLine?.advance(to: header.end ?? last) { (event) throws(Failure) in
      try put(event, &file)
    }
    let unstruck = (line?.unstruck ?? []) + (returnLine?.unstruck ?? [])
    if let note = faults?.note(unstruck: unstruck) { Console.remark(note) }
    verbosity.report(replay.simulation.device)
    // The outputs before the fault are kept.
    if let fault = replay.simulation.fault { return (fault, replay.simulation.device.stackUse) }
    let end = header.end ?? last
    for added in shaft?.finish(at: end) ?? [] { try file.writeLine(added) }
    let device = replay.deviceAtEnd ?? replay.simulation.device
    try states.write(device, firmware, reader.header)
    return (nil, device.stackUse)
  }

  /// `check` can refuse a trace, which has its own sketch's name then.
  func openReader(
    on source: some DeviceSource,
    check: (borrowing TraceReader) throws(Failure) -> Void = { (_) throws(Failure) in }
  ) throws -> TraceReader {
    switch input {
    case .trace(let path):
      var reader = try TraceReader(path: path, options: recording)
      try check(reader)
      choice.nameSketch(of: &reader)
      verbosity.report(
        reader.notes + source.speedNotes(at: reader.header.baud, speed: source.findSpeed()),
        about: path)
      return reader
    case .bytes(let bytes, let length, let baud):
      var stated = StatedSession()
      stated.baud = baud
      stated.firmware = choice.firmware
      stated.profile = choice.profile
      let plan = SessionPlan(stated, on: source)
      var header = Header(
        firmware: plan.sketch.firmware, baud: plan.baud, duration: length, title: nil)
      if let profile = plan.sketch.profile { header.adopt(profile, on: source) }
      var text: [UInt8] = []
      text.appendLine(header)
      if let speed = recording.senderBaud, speed != plan.baud {
        text.appendLine(Event(.zero, .baud(speed)))
      }
      if !bytes.isEmpty {
        verbosity.report(
          source.speedNotes(at: plan.baud, speed: source.findSpeed(), "the bytes are sent"),
          about: "--send")
        let format = source.findFormat()
        if format != .standard { text.appendLine(Event(.zero, .format(format))) }
        text.appendLine(Event(Self.sendingTime, .receive(bytes)))
      }
      return try TraceReader(text: text, path: "--send")
    }
  }
}

/// Where a replay begins and ends, if not with its trace, and the states of the device there.
package struct ReplayStates: Sendable {
  /// When the replay ends; nil if with its trace.
  let end: Instant?
  /// The file of the state to continue from; nil for the trace's start.
  let source: String?
  /// Where to write the state at the end; nil for nowhere.
  let target: String?

  package init(end: Instant? = nil, from source: String? = nil, to target: String? = nil) {
    self.end = end
    self.source = source
    self.target = target
  }

  func check(_ header: Header, against state: StateFile?) throws {
    if let end, let last = header.end, end > last {
      throw Failure.misuse(
        "--until is after the trace's end, which is at \(String(shortest: last - .zero)) s.")
    }
    if let end, let state, end <= state.time {
      throw Failure.misuse(
        "--until is not after the state, which was saved at "
          + "\(String(shortest: state.time - .zero)) s.")
    }
  }

  /// Reads the state to continue from; nil if none was named.
  func read(for header: Header, _ firmware: Firmware) throws(TraceError) -> StateFile? {
    guard let path = source else { return nil }
    let text = try InputFile.contents(of: path, wanting: "a state")
    let state = try StateFile(text: text, path: path)
    guard state.firmware == firmware else {
      throw state.refusal(
        "expected a state of \(firmware.rawValue), found one of \(state.firmware.rawValue); "
          + "--firmware \(state.firmware.rawValue) replays the trace on it")
    }
    guard state.baud == header.baud else {
      throw state.refusal(
        "expected the state of a board at \(header.baud) baud, found \(state.baud) baud")
    }
    return state
  }

  func write(_ device: some Device, _ firmware: Firmware, _ header: Header) throws {
    guard let path = target, let end else { return }
    guard let device = device as? any RestorableDevice else {
      throw Failure.misuse("--save-state requires a device whose state can be read.")
    }
    try OutputFile.write(
      StateFile(device, firmware, baud: header.baud, at: end).text, to: path, as: .other,
      isClaimed: true)
  }
}
