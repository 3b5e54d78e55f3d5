import Foundation
import Platform
import TestSupport
import Testing

/// A running `aim` that receives a test's observations live, through a FIFO.
final class AimStage {
  private static let name = "seen"

  let bench: Bench
  private let running: Bench.Running
  private let terminal: TestTerminal?
  private var pipe: Int32
  private var time = 0
  /// Everything that was shown on the terminal.
  private(set) var screen = ""
  /// The index of the status that was found last.
  private var found = 0

  /// Starts it. With a terminal, its standard error is that terminal. `shell` is a shell command in
  /// which `"$0" "$@"` is the program with its arguments.
  init(
    to target: String, _ options: [String] = [], on terminal: TestTerminal? = nil,
    shell: String = #"exec "$0" "$@""#, environment: [String: String] = [:], in bench: Bench
  ) throws {
    self.bench = bench
    self.terminal = terminal
    let path = bench.path(Self.name)
    try #require(mkfifo(path, 0o600) == 0)
    // Opened for reading too, so that opening does not wait and writing never ends the tests.
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

  /// Feeds text without changing it.
  func feed(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      var room = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
      let isRead = poll(&room, 1, 10_000) == 1
      let count = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
      guard isRead, count > 0 else {
        Issue.record("the observations are not read")
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Feeds a frame with a face centred at `x`, 0 to 1; nil for an empty frame.
  func see(_ x: Double?) {
    feed((x.map { Seen.frame("\(time)", Seen.face($0)) } ?? Seen.frame("\(time)")) + "\n")
    time += 1
  }

  /// Ends the detector.
  func endInput() {
    if pipe >= 0 { close(pipe) }
    pipe = -1
  }

  func send(_ number: Int32) { #expect(kill(running.identifier, number) == 0) }

  /// Waits until a text is reported.
  func tells(_ text: String) async throws {
    try await Stage.wait(text, within: 20) { self.errors.contains(text) }
  }

  /// Reads what the terminal shows.
  func look() { screen += String(decoding: terminal?.read() ?? [], as: UTF8.self) }

  /// The contents that the line on the terminal has had, the first one first.
  var statuses: [String] {
    screen.components(separatedBy: "\r\u{1B}[K").dropFirst().map {
      String($0.prefix { !$0.isNewline })
    }
  }

  /// Waits until the line on the terminal contains a text, even if only for a moment.
  func shows(_ text: String) async throws {
    try await Stage.wait(text, within: 20) {
      self.look()
      let index = self.statuses[self.found...].firstIndex { $0.contains(text) }
      self.found = index ?? self.found
      return index != nil
    }
  }

  /// Waits until it ends, for any reason.
  func finish() async throws -> Bench.Outcome {
    try await Stage.wait("the end", within: 20) {
      self.look()
      return !self.running.isRunning
    }
    look()
    return try running.finish(within: 5)
  }

  /// Ends the detector, and waits until `aim` ends.
  func end() async throws -> Bench.Outcome {
    endInput()
    return try await finish()
  }
}

extension Bench {
  /// Runs `aim` on a pipe with these frames that ends at once.
  func pipe(_ frames: String..., to target: String) throws -> Outcome {
    try write(Seen.file(frames), "piped.jsonl")
    return try script(#"set -o pipefail; cat piped.jsonl | "$BENCH" aim - --to '\#(target)'"#)
  }
}
