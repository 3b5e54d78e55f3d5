package import Devices
import Engine
import Judging
import Platform
package import Sketches
import SystemPackage
import Traces

/// Looks for sessions that break a rule, or on which two devices differ.
package struct ExploreRun {
  /// What a session is looked for.
  package enum Test {
    case rules(RuleFile)
    /// One on which another device does not do the same.
    case difference(DeviceChoice, tolerance: Interval?)
  }

  package static let defaultBudget = Interval.seconds(60)
  package static let defaultSeed: UInt64 = 1
  /// In bytes.
  package static let defaultMemory = Explorer.usualMemory

  let choice: DeviceChoice
  let test: Test
  /// The sketch's commands; nil for those that the rules or the firmware state.
  package var profile: Profile?
  /// How long to search; nil for any time.
  package var budget: Interval? = defaultBudget
  /// How many sessions to run; nil for any number.
  package var count: Int?
  /// How much memory kept sessions can take, in bytes.
  package var memory = defaultMemory
  /// Whether the search ends with the first result.
  package var endsWithFirst = false
  package var seed = defaultSeed
  package var jobs = Workers.processorCount
  /// The faults that strike what is sent.
  package var faults: [FaultSpec] = []
  /// Traces, or folders of them, whose sessions are changed further.
  package var sources: [String] = []
  /// A folder for sessions that showed something new, from which a later search continues.
  package var corpus: String?
  /// The folder for what is found; nil for no files.
  package var output: String?
  package var junit: String?
  package var verbosity = Verbosity.normal

  package init(on choice: DeviceChoice, _ test: Test) {
    self.choice = choice
    self.test = test
  }

  package func run() throws {
    try choice.requireVirtual("thousands of sessions are run, which a board cannot do")
    try run(on: choice.source)
  }

  private func run(on source: some DeviceSource) throws {
    let signals = try SignalQueue.open([])
    try Outputs.spare(sources)
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    for folder in [output, corpus].compactMap({ $0 }) { try OutputFolder.makeFirst(folder) }
    var stated = StatedSession()
    stated.firmware = choice.firmware
    stated.profile = (self.profile ?? ruleFile?.profile?.ownProfile).map { .own($0) }
    let sketch = SessionSketch(stated, on: source)
    let (firmware, profile) = (sketch.firmware, sketch.profile)
    let baud = profile?.baud ?? source.findSpeed() ?? SerialLine.usualBaud
    let subject = ShrinkSubject(firmware: firmware, profile: profile, baud: baud, on: source)
    var grammar = SessionGrammar(
      firmware: firmware, baud: baud, commands: commands(of: sketch))
    grammar.faults = faults
    if ruleFile != nil {
      grammar.words = rules.compactMap { $0.requirement.command?.example }
      grammar.rest = rules.map { $0.requirement.allowance }.max() ?? .zero
    }
    var files = ExploreFiles(firmware: firmware, baud: baud, memory: memory)
    try files.read(sources, corpus: corpus)
    if verbosity != .quiet {
      for note in files.notes { Console.report("explore: \(note)") }
      if grammar.commands.isEmpty {
        Console.report(
          "explore: the sketch's commands are not known, so bytes are drawn at random; --profile "
            + "describes them")
      }
      Console.report("explore: seed \(seed), \(limits)")
    }
    func search(_ runs: SnapshotRuns<some SessionTrial>) throws {
      var search = ExploreSearch(self, grammar, runs, files.given)
      search.search()
      try finish(search, subject, files, signals, junitFile)
    }
    switch test {
    case .rules(let file):
      let runs = try subject.runs(judgedBy: file.rules, madeUp: true) { (path) throws(TraceError) in
        try file.open(path)
      }
      try search(runs)
    case .difference(let other, let tolerance):
      func compare(with source: some DeviceSource) throws {
        try search(subject.runs(comparedWith: source, other.firmware, tolerance: tolerance))
      }
      try compare(with: other.source)
    }
  }

  /// The rules that a session must break; nil if devices are compared.
  private var ruleFile: RuleFile? { if case .rules(let file) = test { file } else { nil } }
  /// Whether a rule says that this must not happen.
  func forbids(_ mishap: Mishap) -> Bool {
    rules.contains { $0.requirement.mishaps.contains(mishap) }
  }
  private var rules: [Rule] { ruleFile?.rules ?? [] }

  /// The sketch's commands, or those of the model that it is compared with; none if they are not
  /// known.
  private func commands(of sketch: SessionSketch) -> [CommandForm] {
    let commands = (sketch.profile ?? Profile(sketch.firmware)).commands
    guard commands.isEmpty, case .difference(let other, _) = test, !other.source.runsAnyProgram
    else { return commands }
    return Profile(other.firmware ?? .guarded).commands
  }

  private var limits: String {
    var limits: [String] = []
    if let budget { limits.append(String(readable: budget)) }
    if let count { limits.append(String(counting: count, "session")) }
    limits.append("\(memory >> 20) MB for kept sessions")
    return "at most " + limits.joined(separator: ", ")
  }

  // MARK: What is found

  private func finish<Source: DeviceSource, Trial>(
    _ search: ExploreSearch<Trial>, _ subject: ShrinkSubject<Source>, _ files: ExploreFiles,
    _ signals: FileDescriptor, _ junitFile: OutputSlot?
  ) throws {
    search.line.clear()
    let closing = search.closing
    var tolerance: Interval?
    if case .difference(_, let stated) = test { tolerance = stated }
    var inputsOnly: [String] = []
    for finding in search.findings {
      for line in titled(finding.lines) { try Console.write(line) }
      for event in finding.session.events {
        var line: [UInt8] = []
        line.appendLine(event)
        try Console.write("  " + String(decoding: line.dropLast(), as: UTF8.self))
      }
      guard let output else { continue }
      let title = titled(finding.lines).first ?? "found by explore"
      let path = "\(output)/\(finding.session.name(with: Array(title.utf8)))"
      let (trace, isWhole) = try subject.text(
        of: finding.session, title: title, by: Self.program, rules: rules,
        tolerance: tolerance
      ) { closing.isOver }
      let written = try files.write(
        trace, ruleText(of: finding.cause), to: path, by: choice.source)
      if !isWhole { inputsOnly = ["\(path).jsonl: \(ShrinkRun.inputsOnly)"] }
      try Console.write(
        written.isEmpty
          ? "  is in \(path).jsonl already" : "  written to \(written.joined(separator: ", "))")
    }
    var note: String?
    if let corpus {
      note = try files.keep(search.corpus, in: corpus) { (session) throws(TraceError) in
        // A long search is not lost for a signal: what there is no time to run is only its inputs.
        try subject.text(of: session, title: "showed something new", by: Self.program) {
          SignalQueue.isEnding && closing.isOver
        }
      }
    }
    try Console.flush()
    if verbosity != .quiet {
      Console.report(search.summary)
      for note in search.notes + inputsOnly + [note].compactMap({ $0 }) {
        Console.report("explore: \(note)")
      }
    }
    try junitFile?.write(JUnitText.text(of: [suite(search)]))
    if let signal = SignalQueue.ending(from: signals) { throw Failure(.signal(signal)) }
    if let fault = search.fault, search.findings.isEmpty { throw Failure(fault) }
    if !search.findings.isEmpty { throw Failure(.disagree) }
  }

  private static let program = "sentrybench explore"

  /// Names both devices in the first line of a difference.
  private func titled(_ lines: [String]) -> [String] {
    guard case .difference(let other, _) = test, let first = lines.first else { return lines }
    return ["\(name(of: choice)) differs from \(name(of: other)): \(first)"] + lines.dropFirst()
  }

  /// The rule that was broken, as a file of rules; nil if none was.
  private func ruleText(of cause: SessionFailure.Cause) -> String? {
    guard case .rule(let index, _) = cause else { return nil }
    return ruleFile?.text(of: rules[index])
  }

  private func name(of device: DeviceChoice) -> String {
    device.name == "model" ? (device.firmware ?? .guarded).rawValue : device.name
  }

  private func suite<Trial>(_ search: ExploreSearch<Trial>) -> JUnitText.Suite {
    func test(_ name: String, _ isMeant: (SessionFailure.Cause) -> Bool) -> JUnitText.Case {
      let lines = search.findings.filter { isMeant($0.cause) }.flatMap { titled($0.lines) }
      return JUnitText.Case(
        className: "explore", name: name, elapsed: search.elapsed,
        outcome: lines.isEmpty
          ? .passed
          : .failure(message: lines[0], text: lines.dropFirst().joined(separator: "\n")))
    }
    var cases = rules.indices.map { index in
      test("\(rules[index].requirement)") {
        if case .rule(index, _) = $0 { true } else { false }
      }
    }
    if case .difference(let other, _) = self.test {
      cases.append(
        test("\(name(of: choice)) and \(name(of: other)) do the same") {
          if case .output = $0 { true } else { false }
        })
    }
    if choice.source.runsAnyProgram {
      cases.append(test("the program does not crash") { $0 == .crash })
    }
    return JUnitText.Suite(name: "explore", cases: cases)
  }
}

/// The files that a search reads and writes: sessions to begin with, those that are kept, and what
/// is found. It replaces none, and removes none that it did not write itself.
struct ExploreFiles {
  /// A larger file in a corpus is not one of its own: these have some kilobytes.
  private static let sizeMax = 1 << 20
  /// How many files that were not read are named.
  private static let namedMax = 5

  private let firmware: Firmware
  private let baud: Int
  private var memoryLeft: Int
  private(set) var given: [SessionInputs] = []
  /// The files in the corpus, by the names that their sessions have.
  private var stored: [String: [String]] = [:]
  private(set) var notes: [String] = []

  init(firmware: Firmware, baud: Int, memory: Int) {
    self.firmware = firmware
    self.baud = baud
    memoryLeft = memory
  }

  // MARK: Reading

  /// Reads traces that the user named, which must all be readable; and a corpus, of which what is
  /// damaged is left out.
  mutating func read(_ sources: [String], corpus: String?) throws {
    for path in sources {
      for file in FoundFiles.find(path) {
        if let error = file.error { throw Failure(error) }
        take(try session(in: file.path))
      }
    }
    guard let corpus else { return }
    var unread: [String] = []
    var fullCount = 0
    for file in FoundFiles.find(corpus) {
      // A new folder is empty.
      if let error = file.error, error.code == .noInput, file.path == corpus { continue }
      do throws(TraceError) {
        if let error = file.error { throw error }
        guard file.size <= Self.sizeMax else {
          throw TraceError(
            .tooLong, path: file.path, "expected at most \(Self.sizeMax >> 10) KB in a corpus")
        }
        let session = try session(in: file.path)
        guard memoryLeft > 0 else {
          fullCount += 1
          continue
        }
        take(session)
        stored[session.name(), default: []].append(file.path)
      } catch {
        unread.append(error.description)
      }
    }
    notes += unread.prefix(Self.namedMax).map { "not read: \($0)" }
    if unread.count > Self.namedMax {
      notes.append("not read: \(unread.count - Self.namedMax) more")
    }
    if fullCount > 0 {
      notes.append("not read: \(fullCount) more, which --memory leaves no room for")
    }
  }

  private mutating func take(_ session: SessionInputs) {
    // As much as it takes when it is kept, with what it shows.
    memoryLeft -= Explorer.Kept.size(of: session) + 8 * 1_000
    given.append(session)
  }

  private func session(in path: String) throws(TraceError) -> SessionInputs {
    var reader = try TraceReader(path: path)
    try reader.limit(to: SessionLimit(remedy: "cut out a part with convert"))
    var session = try SessionInputs(&reader, as: firmware, keepsNotes: true, for: "explore")
    guard session.baud == baud else {
      throw TraceError(
        .usage, path: path,
        "expected a session at \(baud) baud, as the sketch has it, found \(session.baud) baud")
    }
    // All are run from a start, so that what they show can be repeated.
    session.isRunning = false
    return session
  }

  // MARK: Writing

  /// Writes what was found: its trace, the rule that it breaks, its picture and what became of its
  /// bytes. Returns the files; none if its trace is there already.
  func write(
    _ trace: [UInt8], _ rule: String?, to path: String, by source: some DeviceSource
  ) throws -> [String] {
    guard !isThere("\(path).jsonl") else { return [] }
    var parts = [(".jsonl", trace)]
    if let rule { parts.append((".yaml", Array(rule.utf8))) }
    parts.append((".svg", Array(try SuiteArtifacts.picture(trace).utf8)))
    let explanation = try SuiteArtifacts.explanation(trace) { source }
    parts.append((".txt", Array(explanation.utf8)))
    var written: [String] = []
    // The trace last: whoever sees it finds the others.
    for (ending, text) in parts.reversed() where !isThere(path + ending) {
      try OutputFile.write(text, to: path + ending, as: .other)
      written.insert(path + ending, at: 0)
    }
    return written
  }

  /// Writes the sessions that are worth keeping to a corpus, and then removes those of its files
  /// that smaller sessions make superfluous. Returns what it did, in words. `text` returns a
  /// session as its file, and whether it contains more than its inputs.
  func keep(
    _ corpus: [Explorer.Kept], in folder: String,
    _ text: (SessionInputs) throws(TraceError) -> (trace: [UInt8], isWhole: Bool)
  ) throws -> String {
    let kept = Explorer.minimised(corpus)
    let names = Set(kept.map { $0.session.name() })
    var (writtenCount, cutCount, removedCount) = (0, 0, 0)
    for session in kept where stored[session.session.name()] == nil {
      let path = "\(folder)/\(session.session.name()).jsonl"
      let (trace, isWhole) = try text(session.session)
      guard trace.count <= Self.sizeMax, !isThere(path) else { continue }
      try OutputFile.write(trace, to: path, as: .other)
      writtenCount += 1
      if !isWhole { cutCount += 1 }
    }
    for session in corpus where !names.contains(session.session.name()) {
      for path in stored[session.session.name()] ?? []
      where try isOwn(path, session.session, text(session.session).trace) && unlink(path) == 0 {
        removedCount += 1
      }
    }
    let cut = cutCount == 0 ? "" : " (\(cutCount) of them without outputs: a signal ended it)"
    return
      "\(folder): all that was seen is shown by \(String(counting: kept.count, "session")); "
      + "\(writtenCount) written\(cut), \(removedCount) removed"
  }

  /// Whether a file is exactly what the search writes for a session, and so can be made again.
  private func isOwn(_ path: String, _ session: SessionInputs, _ text: [UInt8]) -> Bool {
    let name = path.split(separator: "/").last.map { String($0) }
    var status = stat()
    guard name == "\(session.name()).jsonl", lstat(path, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1
    else { return false }
    return (try? InputFile.contents(of: path, wanting: "a trace")) == text
  }

  /// Whether anything has that name, even a link to nothing.
  private func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
