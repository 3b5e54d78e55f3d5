import Foundation
import Platform
import TestSupport
import Testing

/// A live bench under test, in a folder of its own. Its link is `port`, its recording
/// `record.jsonl`.
final class Stage {
  let bench: Bench
  private let running: Bench.Running

  /// Starts a bench with `command` after `--`. `shell` is a shell command in which `"$0" "$@"` is
  /// the bench, for example to set limits or redirections.
  init(
    _ firmware: String = "guarded", options: [String] = [], records: Bool = true,
    command: [String] = [], shell: String? = nil, environment: [String: String] = [:],
    in bench: Bench? = nil
  ) throws {
    let bench = try bench ?? Bench()
    self.bench = bench
    guard let program = Bench.program else { throw Bench.Trouble.noProgram }
    var arguments = ["run", "--firmware", firmware, "--pty", bench.path("port")]
    if records { arguments += ["--record", "record.jsonl"] }
    // Tests read the recording while the command runs, and after commands that fail.
    if records && !command.isEmpty { arguments.append("--keep") }
    arguments += options
    if !command.isEmpty { arguments += ["--"] + command }
    if let shell {
      running = try bench.start(
        "/bin/bash", ["-c", shell, program] + arguments, environment: environment)
    } else {
      running = try bench.start(program, arguments, environment: environment)
    }
  }

  var port: String { bench.path("port") }
  /// The identifier of the bench's process.
  var identifier: Int32 { running.identifier }

  func send(_ number: Int32) { #expect(kill(identifier, number) == 0) }

  /// Waits until the port exists.
  func ready() async throws { try await Self.wait("the port") { self.hasPort } }

  /// Whether the link exists and its target too.
  var hasPort: Bool { access(port, F_OK) == 0 }

  /// Whether the link exists, even if its target does not.
  var hasLink: Bool {
    var status = stat()
    return lstat(port, &status) == 0
  }

  /// The recording so far.
  var recording: String { (try? bench.read("record.jsonl")) ?? "" }

  /// Returns the number of the recording's lines that contain a text.
  func recordedLines(with text: String) -> Int {
    recording.split(separator: "\n").count { $0.contains(text) }
  }

  /// Waits until the recording has this many lines that contain a text.
  func recorded(_ text: String, times: Int = 1) async throws {
    try await Self.wait("\(times) of \(text)") {
      self.recordedLines(with: text) >= times
    }
  }

  /// Writes bytes to the port as a shell does.
  func write(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: port))
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// Waits until the bench ends. Expects that its link is removed and that nothing it started is
  /// left running.
  func end(within seconds: Double = 50) async throws -> Bench.Outcome {
    try await Self.wait("the end", within: seconds) { !self.running.isRunning }
    let outcome = try running.finish(within: 5)
    #expect(!hasLink, "the link was left behind")
    // The system removes a killed process a little later.
    try await Self.wait("the end of each process") { Self.processes(with: self.port).isEmpty }
    return outcome
  }

  /// Waits until the bench ends, for any reason.
  func finish() async throws -> Bench.Outcome {
    try await Self.wait("the end") { !self.running.isRunning }
    return try running.finish(within: 5)
  }

  /// Returns the output of a replay of the recording.
  func replay() throws -> String {
    let outcome = try bench.run("replay", "record.jsonl")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    return outcome.output
  }

  /// Expects the same bytes in the printed trace, in the recording, and in a replay of it.
  func expectSameReplay(_ outcome: Bench.Outcome, _ comment: Comment? = nil) throws {
    #expect(outcome.output == recording, comment)
    let replayed = try replay()
    // Reports only the first difference, because thousands of lines are of no use.
    let pairs = zip(recording.split(separator: "\n"), replayed.split(separator: "\n"))
    if let pair = pairs.first(where: { $0 != $1 }) {
      Issue.record("recorded \(pair.0), replayed \(pair.1); \(comment?.rawValue ?? "")")
    }
    #expect(recording.utf8.count == replayed.utf8.count, comment)
  }

  /// Waits until a condition holds, without blocking a thread.
  static func wait(
    _ what: String, within seconds: Double = 120, until condition: () -> Bool
  ) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition() {
      guard ContinuousClock.now < deadline else { throw TookTooLong(what: what) }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  struct TookTooLong: Error { var what: String }

  /// Returns the processes with a port in their environment. Linux only.
  static func processes(with port: String) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap(Int32.init).filter { number in
      guard let data = FileManager.default.contents(atPath: "/proc/\(number)/environ") else {
        return false
      }
      return data.range(of: Data("SENTRY_PORT=\(port)\0".utf8)) != nil
    }
  }

  /// Ended with SIGTERM, so that a bench that a test has abandoned also ends its command.
  deinit { if running.isRunning { kill(identifier, SIGTERM) } }
}
