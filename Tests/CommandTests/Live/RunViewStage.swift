import Foundation
import Platform
import TestSupport
import Testing

/// A shell on a terminal of its own that starts a bench there, as a person would.
///
/// What the terminal was set to before and after it, and the bench's status, are in files.
final class RunViewStage {
  let bench: Bench
  let terminal: TestTerminal
  private let reader: RunViewReader
  private let running: Bench.Running
  /// Everything that was shown so far.
  private(set) var bytes: [UInt8] = []
  private var screen = VirtualTerminal(columns: columns, rows: rows)

  static let entering = "\u{1B}[?1049h"
  static let redraw = "\u{1B}[?2026h"
  static let leaving = "\u{1B}[?1049l"
  static let prompt = "ready> "
  static let columns = 120
  static let rows = 40

  /// Starts a bench with options. `aside` is a command that the shell starts before it.
  convenience init(
    _ options: String = "", aside: String = "", environment: [String: String] = [:]
  ) throws {
    try self.init(
      script: """
        trap : INT
        \(aside)
        stty -g >before
        /bin/sh -c 'echo $$ >id.part; mv id.part id; exec "$0" "$@"' \
          "$BENCH" run --pty "$PWD/port" \(options) 2>errors
        echo $? >status.part
        stty -g >after
        mv status.part status

        """, environment: environment)
  }

  /// Runs a bash script on the terminal or, without one, an interactive shell with job control.
  init(script: String?, environment: [String: String] = [:]) throws {
    bench = try Bench()
    terminal = try TestTerminal(columns: Self.columns, rows: Self.rows)
    for descriptor in [terminal.keyboard, terminal.program] {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    reader = RunViewReader(terminal.keyboard)
    let program = try #require(Bench.program)
    var buffer = [CChar](repeating: 0, count: 256)
    try #require(ttyname_r(terminal.program, &buffer, buffer.count) == 0)
    let name = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    if let script { try bench.write(script, "script") }
    let shell = "bash --norc --noprofile \(script == nil ? "--noediting -i" : "script")"
    running = try bench.start(
      "/usr/bin/setsid",
      [
        "--wait", "/bin/bash", "-c",
        "exec <\"$0\" >\"$0\" 2>\"$0\"; export PS1='\(Self.prompt)'; exec \(shell)",
        name,
      ],
      environment: [
        "BENCH": program, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
      ].merging(environment) { $1 })
  }

  /// Whether the bench is running.
  var isRunning: Bool { Int32(file("id")).map { kill($0, 0) == 0 } ?? false }

  var text: String { String(decoding: bytes, as: UTF8.self) }
  /// The lines that a person sees now.
  var lines: [String] { screen.lines }
  var modes: Set<String> { screen.modes }
  var port: String { bench.path("port") }

  func file(_ name: String) -> String {
    ((try? bench.read(name)) ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Processes the new output, as a terminal does all the time.
  func look() {
    show(reader.take())
  }

  private func show(_ new: [UInt8]) {
    bytes += new
    screen.feed(new)
  }

  func sees(_ text: String) -> Bool { lines.contains { $0.contains(text) } }

  func wait(_ what: String, until condition: () -> Bool) async throws {
    do {
      try await Stage.wait(what) {
        look()
        return condition()
      }
    } catch {
      Issue.record("no \(what): \(text.suffix(2_000))")
      throw error
    }
  }

  /// Writes as the sender.
  func write(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: port))
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// Sends the bench a signal.
  func send(_ number: Int32) throws {
    let identifier = try #require(Int32(file("id")))
    #expect(kill(identifier, number) == 0)
  }

  /// Waits until the bench ends. Returns its status.
  func end() async throws -> Int32 {
    try await wait("end") { bench.names.contains("status") && !running.isRunning }
    // Processes what the reader has not taken yet.
    reader.end()
    look()
    show(terminal.read())
    #expect(!bench.names.contains("port"), "the link was left behind")
    return try #require(Int32(file("status")))
  }

  /// Returns how often a text was shown.
  func count(_ shown: String) -> Int { text.components(separatedBy: shown).count - 1 }

  /// Expects that the alternate screen was entered and left this many times, and that the terminal
  /// is restored.
  func expectRestored(after times: Int = 1) {
    #expect(count(Self.entering) == times && count(Self.leaving) == times)
    let parts = text.components(separatedBy: Self.entering)
    let farewell = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    #expect(text.contains("\u{1B}[?25l"))
    let rest = parts.last?.components(separatedBy: farewell).last ?? ""
    #expect(parts.last?.contains(farewell) == true)
    // Nothing was drawn after it.
    #expect(!rest.contains("\u{1B}"), "\(rest)")
    #expect(modes.isSuperset(of: ["?7", "?25"]) && !modes.contains("?1049"))
    #expect(!file("before").isEmpty)
    #expect(file("before") == file("after"))
  }

  /// Closes the terminal's window.
  func hangUp() {
    reader.end()
    terminal.hangUp()
  }

  deinit {
    reader.end()
    if let identifier = Int32(file("id")) { kill(identifier, SIGKILL) }
    if running.isRunning { kill(running.identifier, SIGKILL) }
  }
}
