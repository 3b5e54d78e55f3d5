import Devices
import Judging
import Sketches
import Traces

/// A row of a report's table of commands.
struct ReportedCommand: Hashable, Sendable {
  /// When its first byte arrived.
  var time: Instant
  /// The bytes as they would be typed.
  var bytes: String
  /// What the sender meant.
  var meaning: String
  /// What the turret did.
  var effect: String
  /// How long after the arrival of the last byte the turret acted; nil if no output shows it.
  var delay: Interval?
  /// What `guarded` did with the same bytes; nil if the session is on `guarded`.
  var guarded: String?
  /// What went wrong; nil if nothing did.
  var trouble: String?
  /// What the session's end left open; nil if nothing.
  var openEnd: String?
  /// Whether it is a command of the sketch.
  var isKnown = true
  /// Whether it only ends a line. One that did no harm is not listed.
  var isLineEnd = false

  /// The longest command that is shown in full, in bytes.
  private static let bytesMax = 40

  /// Returns the commands of a record: all of them, without line ends that did no harm. `end`: as
  /// for `IntendedCommand`.
  static func find(
    in record: CommandedOutputs, guarded: CommandedOutputs?, end: Instant?
  ) -> [ReportedCommand] {
    let entries = record.ledger.entries
    var found: [ReportedCommand] = []
    var index = 0
    while index < entries.count {
      let command = IntendedCommand(entries, from: index, firmware: record.firmware, end: end)
      index = command.range.upperBound
      var trouble = command.misunderstanding
      let first = entries[command.range.lowerBound]
      if command.kind == .letter, trouble == nil, first.fate == .swallowed {
        trouble = "it ended the number before it, and was lost"
      }
      let bytes = command.bytes
      let isLineEnd = bytes.allSatisfy { $0.isBlank }
      if trouble == nil, isLineEnd { continue }
      let effect = record.effect(of: command)
      var text = String(ByteText.quoted(bytes.prefix(bytesMax)).dropFirst().dropLast())
      if bytes.count > bytesMax { text += " and \(bytes.count - bytesMax) more" }
      found.append(
        ReportedCommand(
          time: first.arrived, bytes: text,
          meaning: meaning(of: command), effect: effect.text, delay: effect.delay,
          guarded: guarded.flatMap { $0.effect(ofBytesAt: command.range) }, trouble: trouble,
          openEnd: trouble == nil ? command.openEnd : nil,
          isKnown: command.kind != .unknown, isLineEnd: isLineEnd))
    }
    return found
  }

  private static func meaning(of command: IntendedCommand) -> String {
    switch command.kind {
    case .aim(let isEnded):
      let angle = command.aimed.map { $0 <= 180 ? "aim at \($0)°" : "aim at \($0), too far" }
      return (angle ?? "aim, without an angle") + (isEnded ? "" : ", without its full stop")
    case .letter:
      return switch command.letter {
      case .scan?: "sweep"
      case .tone(let hertz)?: "sound \(hertz) Hz"
      case .status?: "ask for the status"
      case .telemetry?: "turn reports on or off"
      case nil: "not a command"
      }
    case .unknown: return "not a command"
    }
  }
}

extension CommandedOutputs {
  /// What this turret did with the bytes that another sketch was sent as one command.
  fileprivate func effect(ofBytesAt range: Range<Int>) -> String? {
    guard range.upperBound <= ledger.entries.count else { return nil }
    let command = IntendedCommand(ledger.entries, from: range.lowerBound, firmware: firmware)
    return effect(of: command).text
  }
}

/// A turret's outputs in a session, as far as commands can have caused them.
struct CommandedOutputs: Sendable {
  /// The maximum number of outputs of a kind that are kept. A ten-minute sweep has about 40 000.
  static let keptMax = 400_000

  private(set) var ledger = Ledger()
  let firmware: Firmware
  private(set) var servo: [(time: Instant, degrees: UInt8)] = []
  private(set) var tones: [(time: Instant, hertz: Double)] = []
  private(set) var replies: [(time: Instant, byte: UInt8)] = []
  /// Whether there were more outputs than are kept.
  private(set) var isCut = false
  /// For each byte, when the next command's first byte was taken; `distantFuture` after the last.
  private var nextCommands: [Instant] = []

  /// Runs the reader's trace on a new device, up to its duration or its last event.
  init(_ reader: inout TraceReader, on device: some Device, firmware: Firmware) throws(TraceError) {
    self.firmware = firmware
    var simulation = Simulation(device, ledger: Ledger(listing: Ledger.listedMax))
    let end = reader.header.end
    while let event = try reader.next() {
      guard event.isInput, event.time <= end ?? event.time else { continue }
      while simulation.step(to: event.time) { take(simulation.outputs) }
      simulation.feed(event)
    }
    while simulation.step(to: end ?? reader.time) { take(simulation.outputs) }
    ledger = simulation.finishLedger()
    var next = Instant.distantFuture
    nextCommands = Array(repeating: next, count: ledger.entries.count)
    for index in ledger.entries.indices.reversed() {
      nextCommands[index] = next
      let entry = ledger.entries[index]
      if entry.fate == .letter, let taken = entry.taken { next = taken }
    }
  }

  private mutating func take(_ outputs: [TimedOutput]) {
    for seen in outputs {
      switch seen.output {
      case .servo where servo.count == Self.keptMax, .tone where tones.count == Self.keptMax,
        .transmit where replies.count == Self.keptMax:
        isCut = true
      case .servo(let degrees, _, nil): servo.append((seen.time, degrees))
      case .tone(let hertz): tones.append((seen.time, hertz))
      case .transmit(let byte): replies.append((seen.time, byte))
      default: break
      }
    }
  }

  // MARK: The effect of a command

  /// Returns what the turret did because of one command, in words, and how long after the arrival
  /// of the command's last byte. The delay is nil if no output shows it.
  func effect(of command: IntendedCommand) -> (text: String, delay: Interval?) {
    let last = command.range.upperBound - 1
    guard let window = window(of: command) else { return ("nothing", nil) }
    let arrived = ledger.entries[last].arrived
    switch command.kind {
    case .aim: return aim(in: window, arrived)
    case .letter:
      switch command.letter {
      case .scan?: return scan(in: window, arrived)
      case .tone?: return tone(in: window, arrived)
      case .status?: return reply(in: window, arrived)
      case .telemetry?: return ("turns its reports on or off", nil)
      case nil: return ("nothing", nil)
      }
    case .unknown: return ("nothing", nil)
    }
  }

  /// Returns the period whose outputs belong to the command: from when its last byte was taken
  /// until the next command is taken. Nil if the sketch did not take it as a command.
  private func window(of command: IntendedCommand) -> Range<Instant>? {
    let first = ledger.entries[command.range.lowerBound]
    var last = command.range.upperBound - 1
    guard first.fate == .letter, let number = first.command else { return nil }
    // The byte after a number that has no full stop ends it.
    let behind = command.range.upperBound
    if behind < ledger.entries.count, ledger.entries[behind].command == number { last = behind }
    if case .aim = command.kind {
      guard [.terminator, .swallowed].contains(ledger.entries[last].fate) else { return nil }
    }
    guard let taken = ledger.entries[last].taken else { return nil }
    return taken..<max(taken, nextCommands[last])
  }

  private func aim(in window: Range<Instant>, _ arrived: Instant) -> (String, Interval?) {
    let index = servo.partitioningIndex { $0.time >= window.lowerBound }
    // An aim moves at once, or after a tone; a later output is a step of a sweep.
    if index < servo.count, window.contains(servo[index].time),
      servo[index].time - window.lowerBound < .milliseconds(300)
    {
      return ("goes to \(servo[index].degrees)°", servo[index].time - arrived)
    }
    return (index > 0 ? "stays at \(servo[index - 1].degrees)°" : "nothing", nil)
  }

  private func scan(in window: Range<Instant>, _ arrived: Instant) -> (String, Interval?) {
    let index = servo.partitioningIndex { $0.time >= window.lowerBound }
    guard index < servo.count, window.contains(servo[index].time) else {
      return ("no step before the next command", nil)
    }
    return ("sweeps, first to \(servo[index].degrees)°", servo[index].time - arrived)
  }

  private func tone(in window: Range<Instant>, _ arrived: Instant) -> (String, Interval?) {
    let start = tones.partitioningIndex { $0.time >= window.lowerBound }
    let found = tones[start...].first { $0.hertz > 0 }
    guard let found, window.contains(found.time) else { return ("no tone of its own", nil) }
    return ("sounds \(XMLText.number(found.hertz, places: 0)) Hz", found.time - arrived)
  }

  private func reply(in window: Range<Instant>, _ arrived: Instant) -> (String, Interval?) {
    let start = replies.partitioningIndex { $0.time >= window.lowerBound }
    var bytes: [UInt8] = []
    for reply in replies[start...].prefix(80) {
      if reply.byte == 0x0A || reply.byte == 0x0D { break }
      bytes.append(reply.byte)
    }
    guard start < replies.count, !bytes.isEmpty else { return ("no answer", nil) }
    return ("answers \(ByteText.quoted(bytes))", replies[start].time - arrived)
  }
}
