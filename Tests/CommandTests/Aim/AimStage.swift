import Foundation
import Platform
import TestSupport
import Testing

/// `aim` at work, seeing what a test shows it: through a FIFO, so live.
final class AimStage {
  private static let name = "seen"

  let bench: Bench
  private let running: Bench.Running
  private let terminal: TestTerminal?
  private var pipe: Int32
  private var time = 0
  /// All that was shown on the terminal.
  private(set) var screen = ""
  /// How many of its lines came before the one that was found last.
  private var found = 0

  /// Starts it. With a terminal, people watch there; `shell` is a shell's line with the program and
  /// its arguments as `"$0" "$@"`.
  init(
    to target: String, _ options: [String] = [], on terminal: TestTerminal? = nil,
    shell: String = #"exec "$0" "$@""#, environment: [String: String] = [:], in bench: Bench
  ) throws {
    self.bench = bench
    self.terminal = terminal
    let path = bench.path(Self.name)
    try #require(mkfifo(path, 0o600) == 0)
    // For reading too, so that opening does not wait and writing never ends the tests.
    pipe = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try #require(pipe >= 0)
    var line = shell
    if let terminal { line += " 2>" + (try terminal.name) }
    let program = try #require(Bench.program)
    running = try bench.start(
      "/bin/bash", ["-c", line, program, "aim", Self.name, "--to", target] + options,
      environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 })
    feed(Seen.header + "\n")
  }

  deinit {
    endInput()
    if running.isRunning { kill(running.identifier, SIGKILL) }
  }

  var isRunning: Bool { running.isRunning }
  var errors: String { running.errorsSoFar }

  /// Text as it is.
  func feed(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      var room = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
      let isRead = poll(&room, 1, 10_000) == 1
      let count = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
      guard isRead, count > 0 else {
        Issue.record("nobody reads the observations")
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// A frame with a face in the middle of which `x` is, 0 to 1; nil: with nothing.
  func see(_ x: Double?) {
    feed((x.map { Seen.frame("\(time)", Seen.face($0)) } ?? Seen.frame("\(time)")) + "\n")
    time += 1
  }

  /// The detector ends.
  func endInput() {
    if pipe >= 0 { close(pipe) }
    pipe = -1
  }

  func send(_ number: Int32) { #expect(kill(running.identifier, number) == 0) }

  /// Waits until something is told.
  func tells(_ text: String) async throws {
    try await Stage.wait(text, within: 20) { self.errors.contains(text) }
  }

  /// Takes what the terminal shows.
  func look() { screen += String(decoding: terminal?.read() ?? [], as: UTF8.self) }

  /// What the line on the terminal was, from the first on.
  var statuses: [String] {
    screen.components(separatedBy: "\r\u{1B}[K").dropFirst().map {
      String($0.prefix { !$0.isNewline })
    }
  }

  /// Waits until the line on the terminal is like that, be it for a moment.
  func shows(_ text: String) async throws {
    try await Stage.wait(text, within: 20) {
      self.look()
      let index = self.statuses[self.found...].firstIndex { $0.contains(text) }
      self.found = index ?? self.found
      return index != nil
    }
  }

  /// Waits for its end, however it was.
  func finish() async throws -> Bench.Outcome {
    try await Stage.wait("the end", within: 20) {
      self.look()
      return !self.running.isRunning
    }
    look()
    return try running.finish(within: 5)
  }

  /// The detector ends, and so does it.
  func end() async throws -> Bench.Outcome {
    endInput()
    return try await finish()
  }
}

extension Bench {
  /// `aim` of a pipe that has these frames and ends at once.
  func pipe(_ frames: String..., to target: String) throws -> Outcome {
    try write(Seen.file(frames), "piped.jsonl")
    return try script(#"set -o pipefail; cat piped.jsonl | "$BENCH" aim - --to '\#(target)'"#)
  }
}
