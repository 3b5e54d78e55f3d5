import Devices
package import Engine
import Judging
import Platform
import Sketches
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
  package var verbosity = Verbosity.normal

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
        "error: the contract is measured with a command that has exactly one number, in digits; "
          + "\(profile == .bytes ? "no profile" : known.name) has none; --profile FILE describes a "
          + "sketch's commands")
    }
    let speeds = source.runsAnyProgram ? [source.findSpeed() ?? SerialLine.usualBaud] : Self.speeds
    var search = ContractSearch(
      source, firmware: sketch.firmware, commands: commands, speeds: speeds)
    let found = try search.run { SignalQueue.isEnding }
    if let signal = SignalQueue.ending(from: signals) { throw Failure(.signal(signal)) }
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
    if printsJSON { return try Console.write(contract.json) }
    try Console.write(text: contract.text)
  }

  /// Writes the sessions that show the figures.
  private func write(
    _ all: [DeviceContract.Witness], to folder: String, on source: some DeviceSource
  ) throws {
    try SuiteArtifacts.make(folder)
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
      var file = try OutputFile(trace: "\(folder)/\(witness.name).jsonl")
      try file.write(
        subject.text(
          of: witness.session, title: witness.title, by: "sentrybench contract"
        ).trace)
      try file.finish()
    }
  }
}

/// A contract as text, as JSON and as rules.
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
    var rows: [(String, String)] = []
    if let start = contract.start {
      rows.append(("listens after a reset", Self.time(start.obeyed)))
      rows.append(("acts after a reset", Self.time(start.acts)))
    } else {
      rows.append(("listens after a reset", "not within 5 s"))
    }
    for pace in contract.paces {
      guard let gap = pace.gap, let rate = Self.rate(pace) else {
        rows.append(("at \(pace.baud) baud", "no gap up to 1 s is safe"))
        continue
      }
      rows.append(
        (
          "at \(pace.baud) baud",
          "a gap of \(Self.time(gap)) between commands, \(rate) commands a second"
        ))
    }
    rows.append(("effect, idle", "at most \(Self.time(contract.idleLatency)) after the last byte"))
    rows.append(
      (
        "effect, worst",
        "at most \(Self.time(contract.latency.length)) after the last byte"
          + after(contract.latency)
      ))
    if let deaf = contract.deaf {
      rows.append(("deaf, after the start-up", "at most \(Self.time(deaf.length))\(after(deaf))"))
    } else {
      rows.append(("deaf, after the start-up", "unknown: the device does not show reads"))
    }
    rows.append(("a command that is broken off", recoveryText))
    rows.append(("cost the next command", Self.list(contract.breaking)))
    rows.append(("end a scan", Self.list(contract.stopping)))
    let width = rows.map { $0.0.count }.max() ?? 0
    let lines = rows.map { row in
      row.0 + String(repeating: " ", count: width - row.0.count + 2) + row.1
    }
    return (["\(sketch) on \(device):"] + lines.map { "  \($0)" }).joined(separator: "\n")
  }

  private func after(_ longest: DeviceContract.Longest) -> String {
    longest.after.isEmpty ? "" : ", after \(ByteText.quoted(longest.after))"
  }

  private var recoveryText: String {
    let recovery = contract.recovery
    if recovery.silence == .zero { return "does no harm to the next one" }
    var ends: [String] = []
    if let silence = recovery.silence { ends.append("a silence of \(Self.time(silence))") }
    if !recovery.bytes.isEmpty { ends.append("one byte of \(Self.list(recovery.bytes))") }
    if recovery.resets { ends.append("a reset") }
    return ends.isEmpty ? "is never recovered from" : "ends with " + ends.joined(separator: ", or ")
  }

  /// The commands a second, rounded down, so that the figure is safe; nil if there are none.
  private static func rate(_ pace: DeviceContract.Pace) -> String? {
    guard let period = pace.period, period > .zero else { return nil }
    return String(shortest: .milliseconds(10_000_000_000_000 / period.nanoseconds * 100 / 1_000))
  }

  private static func time(_ length: Interval) -> String { String(readable: length) }

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
    var json = JSONText()
    json.add("device", device)
    json.add("sketch", sketch)
    json.add("listens", contract.start.map { Self.seconds($0.obeyed) } ?? .null)
    json.add("acts", contract.start.map { Self.seconds($0.acts) } ?? .null)
    json.add("idle_latency", Self.seconds(contract.idleLatency))
    json.add("latency", Self.seconds(contract.latency.length))
    json.add("deaf", contract.deaf.map { Self.seconds($0.length) } ?? .null)
    json.add(
      "paces",
      .array(
        contract.paces.map { pace in
          var json = JSONText()
          json.add("baud", pace.baud)
          json.add("bytes", pace.byteCount)
          json.add("gap", pace.gap.map { Self.seconds($0) } ?? .null)
          json.add("period", pace.period.map { Self.seconds($0) } ?? .null)
          return json.value
        }))
    json.add("recovery_silence", contract.recovery.silence.map { Self.seconds($0) } ?? .null)
    json.add("recovery_bytes", Self.numbers(contract.recovery.bytes))
    json.add("recovery_reset", .bool(contract.recovery.resets))
    json.add("breaking_bytes", Self.numbers(contract.breaking))
    json.add("stopping_bytes", Self.numbers(contract.stopping))
    return json.text
  }

  private static func seconds(_ length: Interval) -> JSONValue {
    .number(String(shortest: length))
  }

  private static func numbers(_ bytes: [UInt8]) -> JSONValue {
    .array(bytes.map { .number("\($0)") })
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
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
