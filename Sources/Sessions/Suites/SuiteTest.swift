import Devices
package import Engine
package import Judging
import Platform
import Traces

/// A scenario of a suite.
package struct SuiteTest: Hashable, Sendable {
  /// The scenario file's path, as it was found.
  package var path: String
  package var scenario: Scenario

  package init(path: String, _ scenario: Scenario) {
    self.path = path
    self.scenario = scenario
  }

  /// The file and the scenario's name, on one line.
  package var title: String { PlainText.escaped("\(path): \(scenario.name)") }

  /// The folder of the file, ending with a slash; empty for the working directory. Paths in the
  /// file are relative to it.
  package var folder: String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The path without the file's ending.
  var fileStem: String { Self.stem(of: path) }

  /// Returns a path without the file's ending.
  static func stem(of path: String) -> String {
    guard let dot = path.lastIndex(of: "."),
      path.lastIndex(of: "/").map({ $0 < dot }) ?? true
    else { return path }
    return String(path[..<dot])
  }

  /// Converts a path in the file to one relative to the working directory.
  package func resolved(_ path: String) -> String {
    RuleFile.path(path, besides: self.path)
  }

  /// The device's options as on the command line, with its path relative to the working directory.
  var device: [String] {
    var device = scenario.device ?? "model"
    for prefix in ["avr:", "serial:"] where device.hasPrefix(prefix) {
      device = prefix + resolved(String(device.dropFirst(prefix.count)))
    }
    return ["--device=\(device)"] + scenario.options
  }

  /// What the scenario states about its session.
  func stated() throws(Failure) -> StatedSession {
    let profile = try scenario.profile.map { (stated) throws(Failure) in
      try ProfileChoice(stated, besides: path)
    }
    var stated = StatedSession()
    stated.add(scenario, profile)
    stated.add(scenario.rules)
    return stated
  }

  /// Refuses a scenario that `distil` has made and whose sender is still to be filled in.
  fileprivate func checkSender() throws(NotationError) {
    let placeholder = DistilledTest.placeholder
    guard scenario.sender == .command(placeholder), access(resolved(placeholder), F_OK) != 0
    else { return }
    throw NotationError(
      scenario.place,
      "expected the command that starts your sender after \"run\", found \(placeholder), which "
        + "stands for it; fill it in")
  }

  /// Whether it runs in virtual time, in this process.
  package var isVirtual: Bool { !scenario.hasProcess }

  /// The seed of what the scenario draws for its faults or its rig; nil if it draws nothing.
  var seed: UInt64? {
    var seed = scenario.seed
    if case .rig(let rig) = scenario.sender {
      seed = seed ?? (try? RigDocument(rig, in: path).rig([]))?.plan.seed
    } else if scenario.faults.isEmpty {
      return nil
    }
    return seed ?? FaultPlan.usualSeed
  }

  /// Returns the command that finds the smallest session that fails like one that was kept as a
  /// trace; nil if the session cannot be run again, or no rule about it failed.
  func shrinking(_ trace: String, _ result: SuiteResult) -> String? {
    let isBoard = scenario.device.map { $0 != "model" && !$0.hasPrefix("avr:") } ?? false
    guard !isBoard, result.failures.contains(where: { !$0.isOfSender }) else { return nil }
    let words =
      ["sentrybench", "shrink", trace, "--rules", path, "--scenario", scenario.name]
      + (scenario.device == nil ? [] : device) + ["-o", "small.jsonl"]
    return words.map { Self.shellWord($0) }.joined(separator: " ")
  }

  /// Returns a word as a shell reads it.
  static func shellWord(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./=:,".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// The rules that name a trace, and its path relative to the working directory.
  var goldens: [(rule: Rule, path: String)] {
    scenario.rules.compactMap { rule in
      guard case .golden(let golden) = rule.requirement else { return nil }
      return (rule, resolved(golden.path))
    }
  }

  /// The files that the scenario names. No output of a suite replaces one of them.
  var inputs: [String] {
    var paths = [path] + goldens.map(\.path)
    if case .file(let profile)? = scenario.profile { paths.append(resolved(profile)) }
    if let device = scenario.device, device.hasPrefix("avr:") {
      paths.append(resolved(String(device.dropFirst("avr:".count))))
    }
    return paths
  }

  /// The rules that judge a session. A trace that `updates` writes for the first time does not.
  func rules(updates: Bool) -> [Rule] {
    guard updates, goldens.contains(where: { access($0.path, F_OK) != 0 }) else {
      return scenario.rules
    }
    return scenario.rules.filter { if case .golden = $0.requirement { false } else { true } }
  }
}

/// A file in which there is no scenario, or a folder without such files.
package struct RefusedFile: Sendable {
  package var path: String
  package var failure: Failure

  package init(_ path: String, _ failure: Failure) {
    self.path = path
    self.failure = failure
  }

  package var status: ExitStatus { failure.status }
  /// A line for each mistake.
  package var message: String { failure.message }
}

/// Reads the scenario files of a suite.
package enum SuiteFiles {
  package static let endings = [".yaml", ".yml"]

  /// Returns the scenarios of files, and of folders in byte order of the path, and the errors of
  /// the files that could not be read. A file that is named twice counts once.
  package static func read(_ paths: [String]) -> (tests: [SuiteTest], refused: [RefusedFile]) {
    var tests: [SuiteTest] = []
    var refused: [RefusedFile] = []
    var seen: Set<String> = []
    for path in paths {
      for file in FoundFiles.find(
        path, endings: endings, wanting: "a scenario file", skipsHidden: true)
      where seen.insert(file.path).inserted {
        do throws(Failure) {
          if let error = file.error { throw Failure(error) }
          let found = try scenarios(file.path).map { SuiteTest(path: file.path, $0) }
          try check(found, in: file.path)
          tests += found
        } catch {
          refused.append(RefusedFile(file.path, error))
        }
      }
    }
    return (tests, refused)
  }

  /// Throws all mistakes of scenarios that are known only from the files next to them.
  private static func check(_ tests: [SuiteTest], in path: String) throws(Failure) {
    var mistakes = Mistakes()
    for test in tests {
      mistakes.reading { () throws(NotationError) in try test.checkSender() }
    }
    do throws(NotationError) {
      try mistakes.check()
    } catch {
      throw Failure(error, in: path)
    }
  }

  /// Reads the scenarios of a file.
  static func scenarios(_ path: String) throws(Failure) -> [Scenario] {
    try read(path, wanting: "a scenario file") { (parser, documents) throws(NotationError) in
      let scenarios = try parser.scenarios(documents)
      guard !scenarios.isEmpty else {
        throw NotationError(.init(), "expected a scenario, found an empty file")
      }
      return scenarios
    }
  }

  /// Reads a scenario file. `what` names the expected contents in messages.
  static func read<Contents>(
    _ path: String, wanting what: String,
    _ parse: (ScenarioParser, [Notation]) throws(NotationError) -> Contents
  ) throws(Failure) -> Contents {
    let text = try Failure.ofTrace { () throws(TraceError) in
      try InputFile.contents(of: path, wanting: what)
    }
    do throws(NotationError) {
      let parser = ScenarioParser(path: path) { (rig) throws(NotationError) in
        _ = try RigParser(path: path).rig(rig)
      }
      return try parse(parser, YAMLText.documents(in: text))
    } catch {
      throw Failure(error, in: path)
    }
  }
}

/// Which of a suite's scenarios are run, in which order, and how often.
package struct SuitePlan: Sendable {
  /// One run of a scenario.
  package struct Run: Hashable, Sendable {
    /// The scenario's index among the plan's tests.
    package var test: Int
    /// From 1.
    package var attempt: Int
  }

  /// The maximum number of runs of one scenario.
  package static let repeatMax = 100_000

  /// The scenarios that are run.
  package private(set) var tests: [SuiteTest]
  /// Their runs: each scenario's one after the other.
  package private(set) var runs: [Run]
  /// The seed of the first run of each test that draws something, if there are seeds of their own
  /// for the runs.
  private let seeds: [UInt64?]

  /// Chooses from all scenarios. `filter` is part of the path or the name, in upper or lower case.
  ///
  /// - Parameter seed: the seed of each scenario's first run; nil for its own.
  package init(
    _ all: [SuiteTest], filter: String? = nil, shard: Shard? = nil, repeats: Int = 1,
    seed: UInt64? = nil
  ) {
    let filter = filter?.lowercased()
    let filtered = all.filter { test in
      filter.map { "\(test.path): \(test.scenario.name)".lowercased().contains($0) } ?? true
    }
    isEmpty = filtered.isEmpty
    tests = shard?.part(of: filtered) ?? filtered
    runs = tests.indices.flatMap { test in (1...repeats).map { Run(test: test, attempt: $0) } }
    let hasSeeds = repeats > 1 || seed != nil
    seeds = tests.map { test in hasSeeds ? test.seed.map { seed ?? $0 } : nil }
  }

  /// Whether no scenario passed the filter. A part of those that did can still be empty.
  package let isEmpty: Bool

  /// The seed of a run: that of the first one and as much more as there were runs before it, so
  /// that no two draw the same. Nil if it is that of the scenario, or if nothing is drawn.
  func seed(_ run: Run) -> UInt64? { seeds[run.test].map { $0 &+ UInt64(run.attempt - 1) } }

  package func test(_ run: Run) -> SuiteTest {
    var test = tests[run.test]
    test.scenario.seed = seed(run) ?? test.scenario.seed
    return test
  }
}
