import Foundation
import Platform
import TestSupport
import Testing

/// A folder of its own for one test, and programs that run in it.
final class Bench: HasFolder {
  struct Outcome: Equatable {
    /// The exit status, or 128 + n if signal n ended it.
    var status: Int32
    var output: String
    var errors: String

    var lines: [Substring] { output.split(separator: "\n") }
    /// The first line. Later ones can contain the time that a command took.
    var first: String { String(lines.first ?? "") }
  }

  enum Trouble: Error { case noProgram, tooLong }

  private let files: TestFolder
  var folder: URL { files.folder }

  init() throws { files = try TestFolder() }

  /// The path of the bench; nil if it was not built.
  static let program = BuiltProgram.path

  /// Runs the bench in the folder.
  func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws
    -> Outcome
  {
    try run(arguments, input: input, environment: environment)
  }

  func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Outcome {
    guard let program = Self.program else { throw Trouble.noProgram }
    return try start(program, arguments, input: input, environment: environment).finish()
  }

  /// Runs a script in which `$BENCH` is the bench.
  func script(_ text: String) throws -> Outcome {
    guard let program = Self.program else { throw Trouble.noProgram }
    return try start("/bin/bash", ["-c", text], environment: ["BENCH": program]).finish()
  }

  func start(
    _ program: String, _ arguments: [String], input: String = "",
    environment: [String: String] = [:]
  ) throws -> Running {
    try Running(program, arguments, input: input, environment: environment, in: folder)
  }

  /// A running program. Its output is written to files outside the folder.
  final class Running {
    /// The pages as they are written: those that `make playground` compiles may be here or not, and
    /// a gateway that compresses them when it starts takes ten times as long.
    private static let pages = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "web").path()

    private let process = Process()
    private let done = DispatchSemaphore(value: 0)
    private let prints: URL

    var identifier: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    /// What it has written to standard error so far.
    var errorsSoFar: String {
      let data = try? Data(contentsOf: prints.appendingPathComponent("errors"))
      return String(decoding: data ?? Data(), as: UTF8.self)
    }

    init(
      _ program: String, _ arguments: [String], input: String, environment: [String: String],
      in folder: URL
    ) throws {
      prints = FileManager.default.temporaryDirectory
        .appendingPathComponent("sentrybench-prints-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: prints, withIntermediateDirectories: true)
      for (name, text) in [("input", input), ("output", ""), ("errors", "")] {
        try Data(text.utf8).write(to: prints.appendingPathComponent(name))
      }
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      process.currentDirectoryURL = folder
      process.environment = ProcessInfo.processInfo.environment
        // In CI no session is kept in the user's cache.
        .merging(["SWIFT_BACKTRACE": "enable=no", "SENTRYBENCH_SHARE": Self.pages, "CI": "true"]) {
          $1
        }
        .merging(environment) { $1 }
      let input = try FileHandle(forReadingFrom: prints.appendingPathComponent("input"))
      let output = try FileHandle(forWritingTo: prints.appendingPathComponent("output"))
      let errors = try FileHandle(forWritingTo: prints.appendingPathComponent("errors"))
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      // Foundation never closes them, and its `select` supports at most 1 024 descriptors.
      defer { for handle in [input, output, errors] { try? handle.close() } }
      process.terminationHandler = { [done] _ in done.signal() }
      // The test's threads block signals, and programs that they start would inherit that.
      var signals = sigset_t()
      sigfillset(&signals)
      var before = sigset_t()
      pthread_sigmask(SIG_UNBLOCK, &signals, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try process.run()
    }

    deinit { try? FileManager.default.removeItem(at: prints) }

    /// Waits until it ends, and ends it if it takes too long.
    func finish(within seconds: Double = 60) throws -> Outcome {
      guard done.wait(timeout: .now() + seconds) == .success else {
        kill(process.processIdentifier, SIGKILL)
        throw Trouble.tooLong
      }
      let code = process.terminationStatus
      func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: prints.appendingPathComponent(name)), as: UTF8.self)
      }
      return Outcome(
        status: process.terminationReason == .uncaughtSignal ? 128 + code : code,
        output: try text("output"), errors: try text("errors"))
    }
  }
}

@Suite("The helper of these tests")
struct RunningTests {
  @Test
  func `A run returns status, output and errors unchanged, and detects different ones`() throws {
    let outcome = try Bench().script("echo out; echo err >&2; exit 3")
    #expect(outcome == Bench.Outcome(status: 3, output: "out\n", errors: "err\n"))
    #expect(outcome != Bench.Outcome(status: 0, output: "out\n", errors: "err\n"))
  }

  @Test func `A run returns 128 + n for a signal, and ends a process that takes too long`() throws {
    let bench = try Bench()
    #expect(try bench.script("kill -KILL $$").status == 137)
    let slow = try bench.start("/bin/sleep", ["30"])
    #expect(throws: Bench.Trouble.tooLong) { try slow.finish(within: 0.2) }
  }

  @Test func `A run passes on input and environment, and cleans up`() throws {
    var bench: Bench? = try Bench()
    let folder = try #require(bench).folder.path
    #expect(FileManager.default.fileExists(atPath: folder))
    #expect(try bench?.run("replay", "-", input: Sample.good).status == 0)
    #expect(
      try bench?.start("/bin/sh", ["-c", "echo $A"], environment: ["A": "b"]).finish().output
        == "b\n")
    bench = nil
    #expect(!FileManager.default.fileExists(atPath: folder))
  }
}
