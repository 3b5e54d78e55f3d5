package import Aim
package import Devices
package import Engine
import Judging
import Pictures
import Platform
package import Sketches
import Traces

/// Runs a rig in virtual time.
package struct RigRun: Sendable {
  let scene: String
  /// Values that replace those of the file, by their paths: `camera.delay`.
  package var settings: [(path: String, value: String)] = []
  /// Settings that take each of several values.
  package var sweep: [RigSweep] = []
  /// The part of the sweep's rows to run and to print for `rows`; nil for all.
  package var shard: Shard?
  /// A file with the rows that parts of the sweep have printed, to show them all without running
  /// any; nil to run them.
  package var rows: String?
  package var length: Interval?
  /// The sketch's commands; nil for those that the file states.
  package var profile: ProfileChoice?
  /// What tracks.
  package var tracker = RigTracker.aim
  /// Where to write the trace, the picture and the figures; nil for nowhere.
  package var trace: String?
  package var picture: String?
  package var printsJSON = false
  package var jobs: Int?
  package var verbosity = Verbosity.normal
  /// What can cut a session short; nil if nothing does.
  var limit: RunLimit?
  /// Returns the device of that name as on the command line, or the selected one for nil.
  private let choose: @Sendable (String?) throws -> DeviceChoice

  package init(_ scene: String, on choose: @escaping @Sendable (String?) throws -> DeviceChoice) {
    self.scene = scene
    self.choose = choose
  }

  package func run() throws {
    let document = try RigDocument(path: scene)
    var file = try document.rig(settings)
    try change(&file)
    let choice = try choose(file.device)
    guard choice.source.isVirtual else {
      throw Failure.misuse("rig requires a device in virtual time: the model or avr:FILE.")
    }
    if !sweep.isEmpty {
      return try RigSweepRun(self, document, choice).run()
    }
    let pictureFile = try picture.map { path throws(Failure) in try OutputSlot(path) }
    let result = try result(of: file, choice, keepsTrace: trace != nil || picture != nil)
    if let trace { try OutputFile.write(result.text, to: trace, as: .trace) }
    try pictureFile?.write(TrackingPicture.svg(of: result.picture(of: file, choice.name)))
    if trace != "-", picture != "-", verbosity != .quiet || printsJSON {
      try Console.write(
        text: printsJSON ? result.json : result.lines(of: file, choice.name))
    }
    for remark in result.remarks where verbosity != .quiet { Console.report(remark) }
    if let report = result.report, !report.holds {
      for line in report.text.split(separator: "\n") { Console.report(String(line)) }
      throw Failure(.disagree)
    }
  }

  /// Runs the rig for a library: returns its figures, and the rules that are broken, with what
  /// happened.
  package func outcome() throws -> (values: [String: Double], failures: [String]) {
    var file = try RigDocument(path: scene).rig(settings)
    try change(&file)
    let result = try result(of: file, try choose(file.device), keepsTrace: false)
    if let refusal = result.refusal { throw Failure(.malformed, "\(scene): \(refusal)") }
    return (
      Dictionary(uniqueKeysWithValues: result.values), result.report?.failures.map { $0.text } ?? []
    )
  }

  /// Applies the options that have no path.
  func change(_ file: inout RigFile) throws(Failure) {
    if let length { file.plan.length = length }
    guard let profile else { return }
    do throws(CommandTextError) {
      try file.adopt(profile)
    } catch {
      throw Failure.misuse("--profile: \(error).")
    }
  }

  func result(
    of file: RigFile, _ choice: DeviceChoice, keepsTrace: Bool
  ) throws -> RigResult {
    try result(of: file, choice, on: choice.source, keepsTrace)
  }

  private func result(
    of file: RigFile, _ choice: DeviceChoice, on source: some DeviceSource, _ keepsTrace: Bool
  ) throws -> RigResult {
    try file.check(on: source)
    var stated = file.stated
    if let firmware = choice.firmware { stated.firmware = firmware }
    stated.showsPulses = true
    let plan = SessionPlan(stated, on: source)
    guard source.observes(plan.sketch.firmware).contains(.pulse) else {
      throw Failure.misuse("rig requires a device that shows pulses.")
    }
    var start = try plan.begin(on: source)
    if let refusal = file.plan.servos.refusal(ofTiltBeside: start.setup.ownServo) {
      throw Failure(.malformed, "\(scene): error: \(refusal)")
    }
    let rules = file.rules.isEmpty ? nil : file.rules
    var judges = try rules.map { (rules) throws(TraceError) in
      try SessionRules(rules, start.setup) { (path) throws(TraceError) in
        try TraceReader(path: RuleFile.path(path, besides: scene))
      }
    }
    judges?.record.hidesPulses = true
    var rig = Rig(file.plan, start, rules: judges)
    var result = RigResult()
    func take(_ event: Event) {
      result.tally.take(event)
      // The pulses are the rig's own.
      if keepsTrace, event.output?.kind != .pulse { result.events.append(event) }
    }
    if let limit { rig.end { limit.isOver } }
    rig.begin(take)
    switch tracker {
    case .aim:
      do throws(AimError) {
        try rig.track(take)
      } catch {
        throw Failure(.malformed, "\(scene): error: \(error)")
      }
      result.remarks += file.aimRemarks
    case .function(let track):
      while let frame = rig.nextFrame(take) { rig.send(try track(frame)) }
    case .command, .standardStreams:
      let outside = try OutsideTracker(tracker, file.plan.scene.camera)
      while let frame = rig.nextFrame(take) {
        guard let bytes = try outside.answer(frame) else { break }
        rig.send(bytes)
      }
      while rig.nextFrame(take) != nil {}
      try outside.finish()
      result.remarks += outside.remarks(commands: rig.commandCount)
    }
    rig.finish(take)
    if let limit, let cut = rig.session.cut { throw SessionCut(limit, at: cut) }
    if let fault = rig.session.board.fault { throw fault }
    result.remarks += rig.remarks + (rig.session.drive?.remarks ?? [])
    if let note = rig.session.unstruckNote { result.remarks.append(note) }
    start.header.set(duration: rig.end - .zero)
    result.header = start.header
    result.frames = rig.frameCount
    result.figures = result.tally.tracking.figures(at: rig.end, commands: rig.commandCount)
    result.refusal = result.tally.tracking.refusal
    result.report = rig.ruleReport()
    return result
  }
}

extension RigFile {
  /// Throws if a servo could never get a pulse.
  package func check(on source: any DeviceSource) throws(Failure) {
    guard let servo = otherServo, source is ModelSource else { return }
    throw Failure(
      .malformed,
      NotationError(
        servo.place,
        "the model of a sketch drives its own servo only, so that one at \(servo.pin.name) would "
          + "never get a pulse: leave it out, or run the program with --device avr:FILE"
      ).text(in: servo.path))
  }
}

/// What tracks on a rig.
package enum RigTracker: Sendable {
  /// The bench, with the options of the file.
  case aim
  /// A program: it gets observations on its standard input, and prints the bytes that it sends.
  case command([String])
  /// Whoever started the bench: observations are printed on standard output, and the bytes are read
  /// from standard input.
  case standardStreams
  /// A function that gets each picture, and returns the bytes that it sends.
  case function(@Sendable (Frame) throws -> [UInt8])
}

/// The file of a rig, before its values are replaced.
struct RigDocument: Sendable {
  let path: String
  private let document: Notation

  /// The rig of a scenario, in its file or in one of its own.
  init(_ notation: Notation, in path: String) throws(Failure) {
    if case .text(let file, _) = notation {
      self = try RigDocument(path: RuleFile.path(file, besides: path))
    } else {
      self.path = path
      document = notation
    }
  }

  init(path: String) throws(Failure) {
    self.path = path
    document = try SuiteFiles.read(path, wanting: "a rig") {
      (_, documents) throws(NotationError) -> Notation in
      guard documents.count == 1, let document = documents.first else {
        throw NotationError(.init(), "expected one rig, found \(documents.count)")
      }
      return document
    }
  }

  /// Returns the rig with other values at some paths.
  func rig(_ settings: [(path: String, value: String)]) throws(Failure) -> RigFile {
    var document = document
    for setting in settings {
      var path = setting.path.split(separator: ".").map { String($0) }
      // An option of aim needs no path.
      if path.count == 1, RigParser.isAimOption(path[0]) { path.insert("aim", at: 0) }
      guard let changed = document.replacing(path[...], by: setting.value) else {
        throw Failure(
          .usage, "error: there is no value at \(PlainText.quoted(setting.path)) in \(self.path)")
      }
      document = changed
    }
    var file: RigFile
    do throws(NotationError) {
      file = try RigParser(path: path).rig(document)
    } catch {
      // A value from the command line has no place.
      guard error.place.line == 0, !settings.isEmpty else {
        throw Failure(.malformed, error.text(in: path))
      }
      let given = settings.map { "\($0.path)=\($0.value)" }.joined(separator: ", ")
      throw Failure(.usage, "error: \(error.message), in \(PlainText.escaped(given))")
    }
    if let stated = file.profile {
      let profile = try ProfileChoice(stated, besides: path)
      do throws(CommandTextError) {
        try file.adopt(profile)
      } catch {
        throw Failure(.malformed, "\(path): error: \(error)")
      }
    }
    return file
  }
}

/// What a session on a rig showed.
struct RigResult: Sendable {
  var header = Header(firmware: .guarded, duration: nil, title: nil)
  var events: [Event] = []
  var frames = 0
  var figures: TrackingFigures?
  var refusal: String?
  var report: RuleReport?
  var remarks: [String] = []
  var tally = RigTally()

  var text: [UInt8] {
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    return text
  }

  func picture(of file: RigFile, _ device: String) -> PlottedTracking {
    var picture = PlottedTracking(
      title: file.stated.title ?? "A turret that follows a face",
      subtitle: Self.setup(of: file, device, header), end: header.end ?? .zero)
    if case .fixed(let degrees) = file.plan.scene.camera.mount { picture.camera = degrees }
    for event in events { picture.take(event) }
    return picture
  }

  private static func setup(of file: RigFile, _ device: String, _ header: Header) -> String {
    let camera = file.plan.scene.camera
    let rate = (1e10 / Double(camera.period.nanoseconds)).rounded() / 10
    let servos = file.plan.servos
    let mount: String
    if case .turret = camera.mount { mount = "on the turret" } else { mount = "fixed" }
    var text =
      "\(String(readable: file.plan.length)), \(header.sketchName) on \(device), "
      + servos.own.name
    if let pin = servos.tilt, let tilt = servos.others[pin] {
      text += ", tilted by \(tilt.name) at \(pin.name)"
    }
    text +=
      "; camera \(mount), \(String(shortest: rate)) pictures a second, "
      + String(readable: camera.delay)
    if camera.jitter > .zero { text += " ± \(String(readable: camera.jitter))" }
    if let supply = servos.supply { text += "; \(supply.name)" }
    return text + "; seed \(file.plan.seed)"
  }

  func lines(of file: RigFile, _ device: String) -> String {
    var lines = [Self.setup(of: file, device, header)]
    func row(_ name: String, _ text: String) { lines.append("  \(name.padded(to: 18))\(text)") }
    guard let figures else {
      let reason = refusal ?? TrackingRecord.tooShort
      return (lines + ["  " + reason]).joined(separator: "\n")
    }
    row(
      "pictures",
      "\(frames), \(String(counting: figures.commands, "command"))"
        + " (\(RigText.tenths(figures.commandsPerSecond)) a second)")
    for (name, text) in figures.rows { row(name, text) }
    if let supply = tally.supply { row("supply", supply) }
    let failures = tally.powerFailures
    for failure in failures.prefix(5) {
      row("", "\(RigText.milliseconds(failure.time)): \(failure.text)")
    }
    if failures.count > 5 { row("", "and \(failures.count - 5) more") }
    if let report { row("rules", report.holds ? report.text : "\(report.failures.count) failed") }
    return lines.joined(separator: "\n")
  }

  var json: String {
    var json = JSONText()
    json.add("pictures", frames)
    if let figures {
      json.add("commands", figures.commands)
      for (name, value) in values { json.add(name, .number(String(shortest: value))) }
      if let settling = figures.settling(within: RigTally.target) {
        json.add("settled", .bool(settling != nil))
      }
    }
    if let volts = tally.lowestVolts { json.add("lowest_volts", .number(String(shortest: volts))) }
    if let amperes = tally.highestAmperes {
      json.add("highest_amperes", .number(String(shortest: amperes)))
    }
    json.add("power_failures", tally.powerFailures.count)
    if let report { json.add("rules_failed", report.failures.count) }
    return json.text
  }

  /// The figures that a sweep compares, by their names, and then those of each axis of a turret
  /// that tilts. A figure that the session does not have is left out.
  var values: [(String, Double)] {
    guard let figures else { return [] }
    var values = Self.values(of: figures)
    for (axis, name) in zip(figures.axes, ["pan", "tilt"]) {
      // Commands are those for both.
      values += Self.values(of: axis).filter { $0.0 != "commands_per_second" }.map {
        ("\(name)_\($0.0)", $0.1)
      }
    }
    return values
  }

  private static func values(of figures: TrackingFigures) -> [(String, Double)] {
    var values: [(String, Double)] = []
    func add(_ name: String, _ value: Double?) {
      if let value { values.append((name, (value * 1_000).rounded() / 1_000)) }
    }
    add("on_target", figures.thousandths(within: RigTally.target).map { Double($0) / 1_000 })
    add("mean_error", figures.meanError)
    add("error_95", figures.error95)
    add("overshoot", figures.overshoot)
    if let settling = figures.settling(within: RigTally.target), let settling {
      add("settling", settling.seconds)
    }
    add("swing", figures.swing?.degrees)
    add("commands_per_second", figures.commandsPerSecond)
    add("travel_per_minute", figures.travelPerMinute)
    add("reversals_per_minute", figures.reversalsPerMinute)
    return values
  }
}
