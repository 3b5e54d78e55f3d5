import Devices
package import Engine
import Judging
import Platform
package import Sketches
import Synchronization
import Traces

/// Measures what a sender can rely on, and prints it.
package struct ContractRun {
  private let choice: DeviceChoice
  /// The sketch's commands; nil for those of the firmware.
  package var profile: ProfileChoice?
  /// The folder for a trace that shows each figure; nil for none.
  package var witnesses: String?
  /// The file for the rules that a sender must keep; nil for none.
  package var rules: String?
  package var printsJSON = false
  /// How long it can take; nil for any time.
  package var budget: Interval? = defaultBudget
  package var verbosity = Verbosity.normal

  package static let defaultBudget = Interval.seconds(60)

  package init(on choice: DeviceChoice) { self.choice = choice }

  /// The speeds at which a model is measured, in bits a second. A program has a speed of its own.
  private static let speeds = [9_600, 19_200, 38_400, 57_600, 115_200, 250_000, 1_000_000]

  package func run() throws {
    try choice.requireVirtual(
      "its figures are measured with thousands of sessions, which a board cannot run")
    try run(on: choice.source)
  }

  private func run<Source: DeviceSource>(on source: Source) throws {
    let signals = try SignalQueue.open([])
    let rulesFile = try rules.map { path throws(Failure) in try OutputSlot(path) }
    var stated = StatedSession()
    stated.firmware = choice.firmware ?? profile?.firmware
    stated.profile = profile
    let sketch = SessionSketch(stated, on: source)
    let known =
      sketch.accepted(profile, on: source)?.profile ?? sketch.profile ?? Profile(sketch.firmware)
    guard profile != .bytes, let commands = ContractCommands(known) else {
      throw Failure(
        .disagree,
        "error: the contract is measured with a command that has exactly one number; "
          + "\(profile == .bytes ? "no profile" : known.name) has none; --profile FILE describes a "
          + "sketch's commands")
    }
    let ownSpeed = known.baud ?? source.findSpeed() ?? SerialLine.usualBaud
    let speeds = source.runsAnyProgram ? [ownSpeed] : Self.speeds
    var search = ContractSearch(
      source, firmware: sketch.firmware, commands: commands, speeds: speeds)
    let limit = RunLimit(budget)
    let begin = HostTime.now
    let step = Mutex("")
    let line = ChangingLine(isShown: verbosity != .quiet)
    let found = try search.run {
      let time = HostTime.now - begin
      if time > .seconds(2) {
        line.show("\(time.nanoseconds / 1_000_000_000) s: \(step.withLock { $0 })")
      }
      return limit.isOver
    } report: { next in
      step.withLock { $0 = next }
    }
    line.clear()
    guard let found else {
      throw Failure(
        .disagree,
        "error: \(ByteText.quoted(commands.long[0])) moves no servo of \(choice.name): it is not "
          + "a command of its program, or the program has stopped")
    }
    let contract = ContractText(
      found, of: choice.name, sketch: known.name, shortest: commands.short[0].count)
    if let witnesses { try write(found.witnesses, to: witnesses, on: source) }
    try rulesFile?.write(contract.rules)
    if printsJSON {
      try Console.write(contract.json)
    } else {
      try Console.write(text: contract.text)
    }
    try Console.flush()
    if let signal = SignalQueue.ending(from: signals) { throw Failure(.signal(signal)) }
    guard !found.isWhole else { return }
    throw Failure(
      .timeout,
      "error: --budget was over before everything was measured; next was "
        + "\(step.withLock { $0 }); --budget 0 is no limit")
  }

  private func write(
    _ all: [DeviceContract.Witness], to folder: String, on source: some DeviceSource
  ) throws {
    try OutputFolder.make(folder)
    for witness in all {
      var header = Header(
        firmware: witness.session.firmware, baud: witness.session.baud,
        duration: witness.session.end - .zero, title: witness.title)
      if source.runsAnyProgram, choice.firmware == nil { header.set(sketch: "program") }
      var text: [UInt8] = []
      text.appendLine(header)
      for event in witness.session.events { text.appendLine(event) }
      var reader = try TraceReader(text: text, path: witness.name)
      let subject = try ShrinkSubject(&reader, firmware: choice.firmware, on: source)
      let trace = try subject.text(
        of: witness.session, title: witness.title, by: "sentrybench contract"
      ).trace
      try OutputFile.write(trace, to: "\(folder)/\(witness.name).jsonl", as: .trace)
    }
  }
}

struct ContractText {
  private let contract: DeviceContract
  private let device: String
  private let sketch: String
  /// The length of the shortest command that was measured, in bytes.
  private let shortest: Int

  init(_ contract: DeviceContract, of device: String, sketch: String, shortest: Int) {
    self.contract = contract
    self.device = device
    self.sketch = sketch
    self.shortest = shortest
  }

  // MARK: Text

  var text: String {
    var rows: [[String]] = []
    func row(_ name: String, _ text: String?) { rows.append([name, text ?? "not measured"]) }
    if let start = contract.start {
      row("listens after a reset", start.map { String(readable: $0.obeyed) } ?? "not within 5 s")
      if let start { row("acts after a reset", String(readable: start.acts)) }
    } else {
      row("listens after a reset", nil)
    }
    for pace in contract.paces {
      if let gap = pace.gap.map({ String(readable: $0) }), let rate = Self.rate(pace) {
        row(
          "at \(pace.baud) baud", "a gap of \(gap) between commands, \(rate) commands a second")
      } else {
        row("at \(pace.baud) baud", "no gap up to 1 s is safe")
      }
    }
    if contract.paces.isEmpty { row("gaps", nil) }
    row(
      "effect, idle",
      contract.idleLatency.map { "at most \(String(readable: $0)) after the last byte" })
    row(
      "effect, worst",
      contract.latency.map {
        "at most \(String(readable: $0.length)) after the last byte\(after($0))"
      })
    row("deaf, after the start-up", deafText)
    row("a command that is broken off", contract.recovery.map { recoveryText($0) })
    row("cost the next command", contract.breaking.map { Self.list($0) })
    row("end a sweep", contract.stopping.map { Self.list($0) })
    let lines = TextTable.lines(rows)
    return (["\(sketch) on \(device):"] + lines.map { "  \($0)" }).joined(separator: "\n")
  }

  private func after(_ longest: DeviceContract.Longest) -> String {
    longest.after.isEmpty ? "" : ", after \(ByteText.quoted(longest.after))"
  }

  /// Nil if it was not measured.
  private var deafText: String? {
    guard contract.latency != nil else { return nil }
    guard let deaf = contract.deaf else { return "unknown: the device does not show reads" }
    // An interrupt of the program's own can read a byte long before the program uses it.
    let until = contract.shownReads == .register ? ", until it is read from the UART" : ""
    return "at most \(String(readable: deaf.length))\(until)\(after(deaf))"
  }

  private func recoveryText(_ recovery: DeviceContract.Recovery) -> String {
    if recovery.silence == .zero { return "does no harm to the next one" }
    var ends: [String] = []
    if let silence = recovery.silence { ends.append("a silence of \(String(readable: silence))") }
    if !recovery.bytes.isEmpty { ends.append("one byte of \(Self.list(recovery.bytes))") }
    if recovery.resets { ends.append("a reset") }
    return ends.isEmpty ? "is never recovered from" : "ends with " + ends.joined(separator: ", or ")
  }

  /// The commands a second, rounded down, so that the figure is safe; nil if there are none.
  private static func rate(_ pace: DeviceContract.Pace) -> String? {
    guard let period = pace.period, period > .zero else { return nil }
    return String(shortest: .milliseconds(10_000_000_000_000 / period.nanoseconds * 100 / 1_000))
  }

  /// Bytes as text, runs of them with `..`.
  private static func list(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "none" }
    var parts: [String] = []
    var index = 0
    while index < bytes.count {
      var end = index
      while end + 1 < bytes.count, Int(bytes[end + 1]) == Int(bytes[end]) + 1 { end += 1 }
      let first = name(bytes[index])
      parts.append(end == index ? first : "\(first)..\(name(bytes[end]))")
      index = end + 1
    }
    return parts.joined(separator: " ")
  }

  private static func name(_ byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return String(UnicodeScalar(byte)) }
    return "0x" + String(byte, radix: 16, digits: 2, uppercase: true)
  }

  // MARK: JSON

  /// Times are in seconds.
  var json: String {
    func seconds(_ length: Interval?) -> JSONValue {
      length.map { .number(String(shortest: $0)) } ?? .null
    }
    func numbers(_ bytes: [UInt8]?) -> JSONValue {
      bytes.map { .array($0.map { .whole($0) }) } ?? .null
    }
    let paces = contract.paces.map { pace in
      JSONValue.object([
        .init("baud", .whole(pace.baud)), .init("bytes", .whole(pace.byteCount)),
        .init("gap", seconds(pace.gap)), .init("period", seconds(pace.period)),
      ])
    }
    return JSONValue.object([
      .init("device", .string(device)), .init("sketch", .string(sketch)),
      .init("complete", .bool(contract.isWhole)),
      .init("listens", seconds(contract.start??.obeyed)),
      .init("acts", seconds(contract.start??.acts)),
      .init("idle_latency", seconds(contract.idleLatency)),
      .init("latency", seconds(contract.latency?.length)),
      .init("deaf", seconds(contract.deaf?.length)), .init("paces", .array(paces)),
      .init("recovery_silence", seconds(contract.recovery?.silence)),
      .init("recovery_bytes", numbers(contract.recovery?.bytes)),
      .init("recovery_reset", contract.recovery.map { .bool($0.resets) } ?? .null),
      .init("breaking_bytes", numbers(contract.breaking)),
      .init("stopping_bytes", numbers(contract.stopping)),
    ]).text
  }

  // MARK: Rules

  /// The rules that a sender must keep, as a file for `--rules`.
  var rules: String {
    var lines = [
      "# What a sender must keep with \(PlainText.escaped("\(sketch) on \(device)")).",
      "# Measured by sentrybench contract.", "- never: [lost, junk, swallowed, abandoned]",
    ]
    // A rule counts from the beginning of a command to that of the next. It must not fail a sender
    // of short commands that keeps the gap, so it is that of the shortest command.
    if let pace = contract.paces.first, let gap = pace.gap, gap > .zero {
      let bits = Int64(shortest) * 10
      let length = gap + .nanoseconds(bits * 1_000_000_000 / Int64(pace.baud))
      lines.append(
        "# At \(pace.baud) baud: \(shortest) bytes and a gap of \(String(readable: gap)).")
      lines.append("- gap: at least \(length.nanoseconds / 1_000)us")
    } else if contract.paces.isEmpty {
      lines.append("# The gap between commands was not measured.")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
