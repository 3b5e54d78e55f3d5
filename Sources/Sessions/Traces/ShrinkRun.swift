import Captures
import Devices
import Engine
import Judging
import Platform
package import Sketches
import SystemPackage
import Traces

/// Finds the smallest session that still fails.
package struct ShrinkRun {
  /// What decides whether a session fails.
  package enum Test {
    case rules(RuleFile)
    /// Another device, which does not do the same. The tolerance is nil for the trace's own.
    case difference(DeviceChoice, tolerance: Interval?)
    /// A command that ends with status 0 for a session that fails. It can take `limit`; nil for any
    /// time.
    case command([String], limit: Interval?)
  }

  private let job: TraceJob
  private let test: Test
  private let output: String
  /// How long the search can take; nil for any time.
  package var budget: Interval?
  /// Whether the beginning of a command counts as one that was broken off, wherever the search cut
  /// it.
  package var isExact = false

  /// `output` is the path of the smallest session; `-` is standard output.
  package init(_ job: TraceJob, _ test: Test, output: String) {
    self.job = job
    self.test = test
    self.output = output
  }

  /// Searches, and writes what it has found at the end or when a signal ends the search.
  package func run() throws {
    try job.choice.requireVirtual("a session is run many times, which a board cannot do")
    try run(on: job.choice.source, into: OutputSlot(trace: output))
  }

  private func run(on source: some DeviceSource, into smallestFile: OutputSlot) throws {
    let signals = try SignalQueue.open([])
    let limit = RunLimit(budget)
    let input = try job.open()
    var reader = try input.reader()
    job.verbosity.report(reader.notes, about: job.trace)
    try reader.limit(to: job.limit)
    job.choice.nameSketch(of: &reader)
    if job.verbosity != .quiet, let uncertainty = reader.header.uncertainty, uncertainty > .zero {
      Console.report(
        "\(job.trace): the recorded times can be off by \(String(readable: uncertainty)); the "
          + "search uses them as recorded")
    }
    var profile: Profile?
    if job.choice.profile == nil, case .rules(let file) = test {
      profile = file.profile?.ownProfile
    }
    let subject = try ShrinkSubject(
      &reader, firmware: job.choice.firmware, profile: profile, on: source)
    var search = ShrinkSearch(subject.session, limit, isShown: job.verbosity != .quiet)
    let found: SessionFailure?
    var rules: [Rule] = []
    var tolerance: Interval?
    switch test {
    case .rules(let file):
      rules = file.rules
      let open = { (path: String) throws(TraceError) in try file.open(path) }
      var runs =
        isExact
        ? try subject.runs(judgedBy: file.rules, open: open)
        : try subject.shortenedRuns(judgedBy: file.rules, open: open) { limit.isOver }
      found = search.run(&runs)
      if let fault = runs.fault, found == nil { throw Failure(fault, on: job.trace) }
    case .difference(let other, let stated):
      tolerance = stated
      var difference = try search.difference(subject, other.source, other, stated)
      let lines = difference?.lines.map { "\(job.choice.name) differs from \(other.name): \($0)" }
      difference?.lines = lines ?? []
      found = difference
    case .command(let command, let time):
      var predicate = try PredicateCommand(command, time, limit)
      found = try search.run(&predicate) { (session) throws(TraceError) in
        try subject.text(of: session, title: title, by: Self.program) { limit.isOver }
      }
      search.notes = predicate.notes
    }
    search.line.clear()
    let signal = SignalQueue.ending(from: signals)
    guard let found, let smallest = search.shrinker.smallest else {
      if let signal { throw Failure(.signal(signal)) }
      for note in search.notes { Console.report("\(job.trace): \(note)") }
      guard !search.isCut else {
        throw Failure(
          .timeout,
          "\(job.trace): error: --budget was over before the session had been judged, so whether "
            + "it fails is not known")
      }
      throw Failure(.disagree, "\(job.trace): \(whole)")
    }
    let closing = limit.closing
    let (text, isWhole) = try subject.text(
      of: smallest, title: found.lines.first ?? title, by: Self.program, rules: rules,
      tolerance: tolerance
    ) { closing.isOver }
    if !isWhole { search.notes.append(Self.inputsOnly) }
    try smallestFile.write(text)
    try Console.flush()
    report(search, smallest, found)
    if let signal { throw Failure(.signal(signal)) }
  }

  private static let program = "sentrybench shrink"

  /// What is said of a trace if running its session takes too long.
  static let inputsOnly =
    "the trace has no outputs, because they take longer than there was time; replay adds them"

  /// The title of a session of which only the command knows why it fails.
  private var title: String { "the smallest session found for which the command succeeds" }

  private var whole: String {
    switch test {
    case .rules:
      "the session does not fail: run on \(job.choice.name), it breaks none of the rules that it "
        + "tests"
    case .difference(let other, _):
      "the session does not fail: \(job.choice.name) and \(other.name) do the same"
    case .command:
      "the session does not fail: the command did not end with status 0 for it, which means that a "
        + "session fails"
    }
  }

  private func report(
    _ search: ShrinkSearch, _ smallest: SessionInputs, _ found: SessionFailure
  ) {
    guard job.verbosity != .quiet else { return }
    for line in found.lines { Console.report(line) }
    for note in search.notes { Console.report("\(job.trace): \(note)") }
    let shrinker = search.shrinker
    let whole = search.whole
    Console.report(
      "\(job.trace): \(smallest.counts.bytes) of \(String(counting: whole.counts.bytes, "byte")) "
        + "and \(smallest.events.count) of \(String(counting: whole.events.count, "event")) kept, "
        + "\(String(counting: shrinker.triedCount, "session")) tried")
    if search.isCut {
      Console.report("\(job.trace): the search was not finished; a smaller session can exist")
    }
  }
}

/// A search that shows how far it is.
private struct ShrinkSearch {
  let whole: SessionInputs
  var shrinker: Shrinker
  var notes: [String] = []
  private let limit: RunLimit
  private(set) var isCut = false
  let line: ChangingLine

  init(_ session: SessionInputs, _ limit: RunLimit, isShown: Bool) {
    whole = session
    shrinker = Shrinker(session)
    self.limit = limit
    line = ChangingLine(isShown: isShown)
  }

  /// Whether the search must end now. Shows its state from time to time.
  private func isEnding(_ state: Shrinker) -> Bool {
    if let smallest = state.smallest {
      line.show(
        "\(state.triedCount) sessions tried, "
          + "\(String(counting: smallest.counts.bytes, "byte")) left")
    }
    return limit.isOver
  }

  mutating func run<Trial>(_ runs: inout SnapshotRuns<Trial>) -> SessionFailure? {
    runs.isOver = { [limit] in limit.isOver }
    var isLate = false
    let found = shrinker.run(&runs) { [self] state in
      isLate = isEnding(state)
      return isLate
    }
    isCut = isLate || runs.wasCut
    return found
  }

  mutating func difference<Source: DeviceSource>(
    _ subject: ShrinkSubject<Source>, _ source: some DeviceSource, _ other: DeviceChoice,
    _ tolerance: Interval?
  ) throws -> SessionFailure? {
    var runs = try subject.runs(comparedWith: source, other.firmware, tolerance: tolerance)
    let found = run(&runs)
    if let fault = runs.fault, found == nil { throw Failure(fault) }
    return found
  }

  /// `text` returns a session as a trace.
  mutating func run(
    _ command: inout PredicateCommand,
    _ text: (SessionInputs) throws(TraceError) -> (trace: [UInt8], isWhole: Bool)
  ) throws -> SessionFailure? {
    while true {
      isCut = isEnding(shrinker)
      guard !isCut, let candidate = shrinker.next() else { break }
      let (trace, isWhole) = try text(candidate)
      // A run that was ended early decides nothing.
      guard isWhole, let fails = try command.run(trace) else {
        isCut = true
        break
      }
      shrinker.take(fails: fails)
      if shrinker.smallest == nil { return nil }
    }
    return shrinker.smallest.map { _ in SessionFailure(causes: [], time: nil, lines: []) }
  }
}

/// A command that is given the path of a trace, and ends with status 0 if that session fails.
private struct PredicateCommand: ~Copyable {
  /// What stands for the path in the command's arguments.
  private static let place = "{}"

  private let command: [String]
  private let time: Interval?
  private let limit: RunLimit
  private let folder: PrivateFolder
  private let path: String
  private var lateCount = 0

  init(_ command: [String], _ time: Interval?, _ limit: RunLimit) throws(Failure) {
    let parent = TemporaryFolder.path
    do throws(Errno) {
      folder = try PrivateFolder(in: parent)
    } catch {
      throw Failure(writing: parent, error)
    }
    let path = "\(folder.path)/candidate.jsonl"
    self.path = path
    (self.time, self.limit) = (time, limit)
    let filled = command.map {
      $0.split(separator: Self.place, omittingEmptySubsequences: false).joined(separator: path)
    }
    self.command = filled == command ? command + [path] : filled
  }

  deinit { unlink(path) }

  /// Returns whether the command finds that a session fails; nil if the search was over before.
  mutating func run(_ trace: [UInt8]) throws -> Bool? {
    try OutputFile.write(trace, to: path, as: .trace)
    switch try ToolRun.outcome(of: command, limit: time, isEnding: { limit.isOver }) {
    case .missing:
      throw Failure(
        ExitStatus(rawValue: 127),
        "\(command[0]): error: cannot be started: No such file or directory")
    case .stopped:
      if limit.isOver { return nil }
      lateCount += 1
      return false
    case .ended(let run):
      // 126 and 127 are those of a shell that could not start a command.
      guard ![126, 127].contains(run.status.rawValue) else {
        throw Failure(
          run.status, "\(command[0]): error: could not be run: \(PlainText.escaped(run.text))")
      }
      return run.status == .agree
    }
  }

  var notes: [String] {
    guard lateCount > 0, let time else { return [] }
    return [
      "the command took longer than \(String(readable: time)) (--timeout) for "
        + "\(String(counting: lateCount, "session")); such a session counts as one that does not "
        + "fail"
    ]
  }
}
