import Devices
import Engine
import Judging
import Platform
package import Sketches
import Synchronization
import SystemPackage
import Traces

/// Looks for sessions that break a rule, or on which two devices differ.
package struct ExploreRun {
  /// What a session is looked for.
  package enum Test {
    /// One that breaks a rule of a file.
    case rules(RuleFile)
    /// One on which another device does not do the same.
    case difference(DeviceChoice, tolerance: Interval?)
  }

  package static let defaultBudget = Interval.seconds(60)
  package static let defaultSeed: UInt64 = 1

  private let choice: DeviceChoice
  fileprivate let test: Test
  /// The sketch's commands; nil for those that the rules or the firmware state.
  package var profile: Profile?
  /// How long to search; nil for any time.
  package var budget: Interval? = defaultBudget
  /// How many sessions to run; nil for any number.
  package var count: Int?
  package var seed = defaultSeed
  package var jobs = Workers.processorCount
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
    guard choice.source.isVirtual else {
      throw Failure(
        .unavailable,
        "error: the device \"\(choice.name)\" cannot be used here: thousands of sessions are run, "
          + "which a board cannot do")
    }
    try run(on: choice.source)
  }

  private func run(on source: some DeviceSource) throws {
    let signals = try SignalQueue.open([])
    let junitFile = try junit.map { (path) throws(Failure) in try OutputSlot(path) }
    for folder in [output, corpus].compactMap({ $0 }) { try SuiteArtifacts.make(folder) }
    let firmware = choice.firmware ?? .guarded
    // A sketch of the bench is judged by its model, which knows more than its commands.
    let profile = self.profile ?? statedProfile
    let hasModel = !source.runsAnyProgram || choice.firmware != nil
    let commands = (profile ?? (hasModel ? Profile(firmware) : nil))?.commands ?? []
    let baud = profile?.baud ?? source.findSpeed() ?? SerialLine.usualBaud
    let subject = ShrinkSubject(firmware: firmware, profile: profile, baud: baud, on: source)
    var grammar = SessionGrammar(firmware: firmware, baud: baud, commands: commands)
    let given = try readSessions(as: firmware)
    if verbosity != .quiet {
      if grammar.commands.isEmpty {
        Console.report(
          "explore: the sketch's commands are not known, so bytes are drawn at random; --profile "
            + "describes them")
      }
      Console.report("explore: seed \(seed)")
    }
    switch test {
    case .rules(let file):
      // Time enough for what rules allow to come later.
      grammar.rest = .seconds(2)
      let runs = try subject.runs(judgedBy: file.rules) { (path) throws(TraceError) in
        try file.open(path)
      }
      var search = ExploreSearch(self, grammar, runs, given)
      search.search()
      try finish(search, subject, signals, junitFile, rules: file.rules)
    case .difference(let other, let tolerance):
      try compare(other.source, other, tolerance, subject, grammar, given, signals, junitFile)
    }
  }

  private func compare<Source: DeviceSource>(
    _ source: some DeviceSource, _ other: DeviceChoice, _ tolerance: Interval?,
    _ subject: ShrinkSubject<Source>, _ grammar: SessionGrammar, _ given: [SessionInputs],
    _ signals: FileDescriptor, _ junitFile: OutputSlot?
  ) throws {
    let runs = try subject.runs(comparedWith: source, other.firmware, tolerance: tolerance)
    var search = ExploreSearch(self, grammar, runs, given)
    search.search()
    try finish(search, subject, signals, junitFile, against: other, tolerance: tolerance)
  }

  private var statedProfile: Profile? {
    if case .rules(let file) = test { file.profile?.ownProfile } else { nil }
  }

  private func readSessions(as firmware: Firmware) throws -> [SessionInputs] {
    var given: [SessionInputs] = []
    for path in sources {
      for file in FoundFiles.find(path) {
        if let error = file.error { throw Failure(error) }
        var reader = try TraceReader(path: file.path)
        given.append(try SessionInputs(&reader, as: firmware, for: "explore"))
      }
    }
    if let corpus {
      for file in FoundFiles.find(corpus) where file.error == nil {
        var reader = try TraceReader(path: file.path)
        given.append(try SessionInputs(&reader, as: firmware, for: "explore"))
      }
    }
    return given
  }

  // MARK: What is found

  private func finish<Source: DeviceSource, Trial>(
    _ search: ExploreSearch<Trial>, _ subject: ShrinkSubject<Source>, _ signals: FileDescriptor,
    _ junitFile: OutputSlot?, rules: [Rule] = [], against other: DeviceChoice? = nil,
    tolerance: Interval? = nil
  ) throws {
    search.clear()
    for finding in search.findings {
      var lines = finding.lines
      if let other, !lines.isEmpty {
        lines[0] = "\(name(of: choice)) and \(name(of: other)) differ: \(lines[0])"
      }
      let title = lines.first ?? "found by explore"
      let text = try subject.text(
        of: finding.session, title: title, by: "sentrybench explore", rules: rules,
        tolerance: tolerance)
      for line in lines { try Console.write(line) }
      for event in finding.session.events {
        var line: [UInt8] = []
        line.appendLine(event)
        try Console.write("  " + String(decoding: line.dropLast(), as: UTF8.self))
      }
      if let output {
        let path = "\(output)/\(finding.session.name).jsonl"
        try write(text, to: path)
        try Console.write("  written to \(path)")
      }
    }
    if let corpus {
      for session in search.corpus {
        let text = try subject.text(
          of: session, title: "showed something new", by: "sentrybench explore")
        try write(text, to: "\(corpus)/\(session.name).jsonl")
      }
    }
    try Console.flush()
    if verbosity != .quiet { Console.report(search.summary) }
    try junitFile?.write(JUnitText.text(of: [suite(search, rules, other)]))
    if let signal = SignalQueue.ending(from: signals) { throw Failure(.signal(signal)) }
    if let fault = search.fault, search.findings.isEmpty { throw Failure(fault) }
    if !search.findings.isEmpty { throw Failure(.disagree) }
  }

  /// Writes a session whose name is made from its inputs, unless it is there already.
  private func write(_ text: [UInt8], to path: String) throws {
    guard FileIdentity(path) == nil else { return }
    var file = try OutputFile(trace: path)
    try file.write(text)
    try file.finish()
  }

  /// A model is called what its sketch is.
  private func name(of device: DeviceChoice) -> String {
    device.name == "model" ? (device.firmware ?? .guarded).rawValue : device.name
  }

  private func suite<Trial>(
    _ search: ExploreSearch<Trial>, _ rules: [Rule], _ other: DeviceChoice?
  ) -> JUnitText.Suite {
    func test(
      _ name: String, _ findings: [ExploreSearch<Trial>.Finding]
    ) -> JUnitText.Case {
      let lines = findings.flatMap { $0.lines }
      return JUnitText.Case(
        className: "explore", name: name, elapsed: search.elapsed,
        outcome: lines.isEmpty
          ? .passed
          : .failure(message: lines[0], text: lines.dropFirst().joined(separator: "\n")))
    }
    let cases =
      other.map { other in
        [test("\(name(of: choice)) and \(name(of: other)) do the same", search.findings)]
      }
      ?? rules.indices.map { index in
        test(
          "\(rules[index].requirement)",
          search.findings.filter { finding in
            if case .rule(index, _) = finding.cause { true } else { false }
          })
      }
    return JUnitText.Suite(name: "explore", cases: cases)
  }
}

/// The search: rounds of slices, which processors run at the same time. What a slice finds depends
/// only on the seed, its number and what earlier rounds found, so that the number of processors
/// changes nothing.
private struct ExploreSearch<Trial: SessionTrial> {
  struct Finding: Sendable {
    var session: SessionInputs
    var failure: SessionFailure
    var cause: SessionFailure.Cause

    /// Why it is kept, in words.
    var lines: [String] { failure.details[cause] ?? failure.lines }

    init(_ session: SessionInputs, _ failure: SessionFailure, _ cause: SessionFailure.Cause) {
      self.session = session
      self.failure = failure
      self.cause = cause
    }
  }

  /// What a slice found.
  private struct Slice: Sendable {
    var kept: [SessionInputs] = []
    var seen: Set<UInt32> = []
    /// The first session for each way to fail.
    var failures: [Finding] = []
    var count = 0
    var fault: DeviceError?
  }

  private static var slicesMax: Int { 8 }
  /// How many sessions a slice has. A round on an emulated chip takes about a second for each.
  private let sliceCount: Int

  private let run: ExploreRun
  private let grammar: SessionGrammar
  private let runs: SnapshotRuns<Trial>
  private var given: [SessionInputs]
  private(set) var corpus: [SessionInputs] = []
  private var seen: Set<UInt32> = []
  private(set) var findings: [Finding] = []
  private var causes: Set<SessionFailure.Cause> = []
  private(set) var count = 0
  private(set) var fault: DeviceError?
  private let begin = ContinuousClock().now
  private(set) var elapsed = Duration.zero
  private var isVisible = false

  init(
    _ run: ExploreRun, _ grammar: SessionGrammar, _ runs: SnapshotRuns<Trial>,
    _ given: [SessionInputs], sliceCount: Int = 256
  ) {
    self.run = run
    self.grammar = grammar
    self.runs = runs
    self.given = given
    self.sliceCount = sliceCount
  }

  private var isOver: Bool {
    if SignalQueue.isEnding || fault != nil { return true }
    if let most = run.count, count >= most { return true }
    return Self.isLate(begin, run.budget)
  }

  private static func isLate(_ begin: ContinuousClock.Instant, _ budget: Interval?) -> Bool {
    guard let budget else { return false }
    return ContinuousClock().now - begin >= .nanoseconds(budget.nanoseconds)
  }

  mutating func search() {
    var round: UInt64 = 0
    while !isOver, !hasFoundAll {
      let (grammar, runs, corpus, seen, begin) = (grammar, runs, corpus, seen, begin)
      let (seed, budget, causes) = (run.seed, run.budget, causes)
      var left = run.count.map { $0 - count } ?? .max
      let size = max(sliceCount, given.count / Self.slicesMax + 1)
      let items = (0..<Self.slicesMax).map { index in
        let mine = stride(from: index, to: given.count, by: Self.slicesMax).map { given[$0] }
        defer { left -= min(left, size) }
        return (number: round * UInt64(Self.slicesMax) + UInt64(index), mine, min(left, size))
      }
      given = []
      var slices: [Slice] = []
      Workers.run(items, jobs: run.jobs) { item in
        var slice = Slice()
        var explorer = Explorer(
          grammar, random: RandomStream(seed: seed, stream: item.number), corpus: corpus,
          seen: seen, given: item.1)
        var runs = runs.keepingTraits()
        var known = causes
        while slice.count < item.2, !SignalQueue.isEnding, !Self.isLate(begin, budget) {
          let session = explorer.next()
          let failure = runs.run(session)
          slice.count += 1
          if let fault = runs.fault {
            slice.fault = fault
            break
          }
          if let traits = runs.traits { explorer.take(traits) }
          for cause in failure?.causes ?? [] where known.insert(cause).inserted {
            if let failure { slice.failures.append(Finding(session, failure, cause)) }
          }
        }
        slice.kept = Array(explorer.corpus.dropFirst(corpus.count))
        slice.seen = explorer.seen
        return slice
      } inOrder: {
        slices.append($0)
      }
      for slice in slices { take(slice) }
      round += 1
      show()
    }
    elapsed = ContinuousClock().now - begin
  }

  /// Whether no other way to fail is looked for.
  private var hasFoundAll: Bool {
    if case .rules(let file) = run.test {
      let broken = Set(
        causes.compactMap { if case .rule(let index, _) = $0 { index } else { nil } })
      return broken.count == file.rules.count
    }
    return !findings.isEmpty
  }

  private mutating func take(_ slice: Slice) {
    count += slice.count
    fault = fault ?? slice.fault
    if !slice.seen.isSubset(of: seen) {
      seen.formUnion(slice.seen)
      corpus += slice.kept
    }
    for var finding in slice.failures where causes.insert(finding.cause).inserted {
      var shrinker = Shrinker(finding.session)
      var runs = runs
      let smallest = shrinker.run(&runs, for: finding.cause) { _ in SignalQueue.isEnding }
      if let smallest, let session = shrinker.smallest {
        finding.session = session
        finding.failure = smallest
      }
      findings.append(finding)
    }
  }

  private mutating func show() {
    guard run.verbosity != .quiet, Console.isErrorWatched else { return }
    isVisible = true
    Console.display(
      "\r\u{1B}[K\(count) sessions run, \(corpus.count) kept, \(findings.count) found")
  }

  /// Removes the display, so that a line can be written.
  func clear() {
    if isVisible { Console.display("\r\u{1B}[K") }
  }

  var summary: String {
    let seconds = Double(elapsed / .milliseconds(1)) / 1_000
    let rate = seconds > 0 ? Int(Double(count) / seconds) : count
    let found = findings.isEmpty ? "nothing was found" : "\(findings.count) found"
    return
      "explore: \(String(counting: count, "session")) in \(TraceReport.seconds(elapsed)) s, "
      + "\(rate) a second; \(corpus.count) showed something new; \(found)"
  }
}
