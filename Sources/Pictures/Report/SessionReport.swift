package import Devices
package import Judging
package import Sketches
package import Traces

/// Everything that a report shows of one session.
package struct SessionReport: Sendable {
  /// The same bytes on another sketch.
  struct Counterpart: Sendable {
    var session: PlottedSession
    var fateCounts: [Fate: Int]
  }

  /// The compressed trace, which the reader can save.
  package struct Attachment: Hashable, Sendable {
    /// The trace's file name, without `.gz`.
    package var name: String
    package var gzip: [UInt8]

    package init(name: String, gzip: [UInt8]) {
      self.name = name
      self.gzip = gzip
    }
  }

  /// The session in more detail than a picture of fixed size shows.
  package internal(set) var session: PlottedSession
  package var firmware: Firmware
  var commands: [ReportedCommand] = []
  /// What the outputs show of the bytes if no model behaves as the sketch; nil if one does.
  package internal(set) var observed: ObservedSession?
  /// The sketch's commands, if the trace has a profile of its own.
  var profile: Profile?
  var fateCounts: [Fate: Int] = [:]
  var guarded: Counterpart?
  /// What is wrong with the recording; nil if nothing is, or if it is not one.
  package var fault: ReportVerdict?
  /// What became of the commands; nil if no model behaves as the sketch.
  var findings: CommandFindings?
  /// Whether the recording shows everything that was sent, so that a session without a fault can
  /// be told from one whose fault is not shown.
  package var showsAll = false
  /// Says that no command fits the sketch; nil if one does.
  var objection: String?
  /// How the report was made: names and values.
  package var facts: [(name: String, value: String)] = []
  /// Notes about the report itself, one sentence each.
  package var remarks: [String] = []
  package var attachment: Attachment?

  init(_ session: PlottedSession, firmware: Firmware) {
    self.session = session
    self.firmware = firmware
  }

  /// Sets the fact of this name, or adds it if there is none.
  package mutating func set(_ name: String, _ value: String) {
    if let index = facts.firstIndex(where: { $0.name == name }) {
      facts[index].value = value
    } else {
      facts.append((name: name, value: value))
    }
  }

  var byteCount: Int { fateCounts.values.reduce(0, +) }
}

extension SessionReport {
  /// Runs a trace on a device for its picture, and on the model for the fates of its bytes and for
  /// what `guarded` does with them. `name` is the trace's; `open` opens it and is called several
  /// times. `divergence` is from verifying it.
  ///
  /// The device must be new and report its pulses; `deviceName` is its name in the report.
  /// `columns` is the resolution of the pictures in time: by default 16 times that of a picture of
  /// fixed size, so that they can be enlarged.
  package static func make(
    of name: String, _ divergence: Divergence?, on device: some Device, named deviceName: String,
    firmware: Firmware, timing: Timing? = nil, servo: ServoData = .sg90, columns: Int64 = 16_000,
    open: () throws(TraceError) -> TraceReader
  ) throws(TraceError) -> SessionReport {
    let fileName = name.split(separator: "/").last.map { String($0) }
    var reader = try open()
    let header = reader.header
    var device = device
    device.recordRun(wholly: false)
    var session = try PlottedSession.make(
      &reader, on: device, named: deviceName, firmware: firmware, servo: servo,
      divergence: divergence, fileName: fileName, columns: columns)
    reader = try open()
    let model = Model(firmware, timing: timing, for: header, showsPulses: false)
    let record = try CommandedOutputs(&reader, on: model, firmware: firmware)
    session.bytes = record.ledger.entries
    let end = record.ledger.listEnd == nil ? header.shownEnd(lastEvent: reader.time) : nil
    var report = SessionReport(session, firmware: firmware)
    report.fateCounts = record.ledger.fateCounts
    report.findings = CommandFindings(session.bytes, firmware: firmware, end: end)
    var other: CommandedOutputs?
    if firmware != .guarded {
      reader = try open()
      let device = Model(.guarded, for: header, showsPulses: true)
      var session = try PlottedSession.make(
        &reader, on: device, named: "model", firmware: .guarded, servo: servo,
        fileName: fileName, columns: columns)
      // The trace's outputs are those of another sketch.
      session.expected = []
      reader = try open()
      let guarded = try CommandedOutputs(
        &reader, on: Model(.guarded, for: header, showsPulses: false), firmware: .guarded)
      other = guarded
      report.guarded = Counterpart(session: session, fateCounts: guarded.ledger.fateCounts)
    }
    // A command that is not listed can fit.
    if record.ledger.listEnd == nil {
      report.objection = SketchFit(record.ledger.entries, firmware).objection
    }
    report.remarks = (report.session.twitches + report.session.memoryFaults).map { $0 + "." }
    if let end = record.ledger.listEnd { report.remarks.append(unlistedRemark(from: end)) }
    report.commands = ReportedCommand.find(in: record, guarded: other, end: end)
    if record.isCut || other?.isCut == true {
      report.remarks.append(
        "The session has more outputs than a report examines. For commands after the first "
          + "\(CommandedOutputs.keptMax) outputs of a kind, the turret's actions are incomplete.")
    }
    report.facts = facts(header, firmware.rawValue, deviceName, servo, end: session.end)
    return report
  }

  /// Runs a trace on a device with a sketch that no model behaves as, for its picture and for what
  /// the outputs show of its bytes. `sketch` is the sketch's name, and the rest is as above.
  package static func make(
    of name: String, _ divergence: Divergence?, observing device: some Device,
    named deviceName: String, sketch: String, servo: ServoData = .sg90, columns: Int64 = 16_000,
    open: () throws(TraceError) -> TraceReader
  ) throws(TraceError) -> SessionReport {
    var reader = try open()
    let header = reader.header
    let session = try PlottedSession.make(
      &reader, on: device, named: deviceName, firmware: .guarded, sketch: sketch, servo: servo,
      divergence: divergence, fileName: name.split(separator: "/").last.map { String($0) },
      columns: columns)
    reader = try open()
    let observed = try ObservedSession(&reader, on: device)
    var report = SessionReport(session, firmware: .guarded)
    report.fateCounts = observed.fateCounts
    report.observed = observed
    report.profile = try header.ownProfile(in: reader.path)
    report.remarks =
      (observed.twitches + observed.memoryFaults).map { $0 + "." }
      + observed.remarks(sketch: sketch)
    if let end = observed.listEnd { report.remarks.append(unlistedRemark(from: end)) }
    report.facts = facts(header, sketch, deviceName, servo, end: session.end)
    if let profile = report.profile {
      report.facts.insert((name: "Profile", value: profile.name), at: 1)
    }
    return report
  }

  private static func unlistedRemark(from end: Instant) -> String {
    "The session has more bytes than a report lists. Those from "
      + "\(String(canonical: end.roundedUpToMicrosecond)) s on are counted, and neither drawn nor "
      + "examined."
  }

  private static func facts(
    _ header: Header, _ firmware: String, _ device: String, _ servo: ServoData, end: Instant
  ) -> [(name: String, value: String)] {
    var facts = [
      (name: "Firmware", value: firmware), (name: "Device", value: device),
      (name: "Servo", value: servo.name),
      (name: "Length", value: String(readable: end - .zero)),
      (name: "Speed", value: "\(header.baud) bits a second"),
      (
        name: "Times",
        value: header.clock == .device ? "the board's own" : "stamped by a computer"
      ),
      (name: "Tolerance", value: String(readable: header.tolerance)),
    ]
    if header.start == .unknown {
      facts.append((name: "Start", value: "the board was already running"))
    }
    if let resolution = header.resolution {
      facts.append((name: "Time resolution", value: String(readable: resolution)))
    }
    if let uncertainty = header.uncertainty {
      facts.append(
        (
          name: "Uncertainty",
          value: "the time of a byte can be off by \(String(readable: uncertainty))"
        ))
    }
    for (key, name) in [("recorded", "Recorded"), ("source", "Recorded by")] {
      if case .string(let text)? = header.members.first(where: { $0.key == key })?.value {
        facts.append((name: name, value: text))
      }
    }
    return facts
  }
}
