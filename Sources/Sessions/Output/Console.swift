import Devices
import Judging
package import Logging
package import Platform
import Sketches
import SystemPackage
import Traces

/// Standard output, which is buffered, and standard error. Used only on the main thread.
///
/// All text for display passes through here. Parts of it come from files, boards, the network and
/// the command line; none of them can control the terminal.
package enum Console {
  private static let bufferMax = 1 << 16
  /// Used only on the main thread: other threads pass on what they have to say.
  nonisolated(unsafe) private static var buffer: [UInt8] = []

  /// Whether standard error or standard output is a terminal that can show moving displays.
  static var isErrorWatched: Bool { isWatched(.standardError) }
  static var isOutputWatched: Bool { isWatched(.standardOutput) }

  /// Whether a person reads standard error, and no file and no log keeps it.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 && !isJSON }

  private static func isWatched(_ output: FileDescriptor) -> Bool {
    func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    return isatty(output.rawValue) == 1
      && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  package static func write(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    if buffer.count >= bufferMax { try flush() }
  }

  package static func write(_ line: String) throws(Failure) {
    try write(Array("\(PlainText.escaped(line))\n".utf8))
  }

  /// Writes several lines of text to standard output. The line breaks are the program's own.
  package static func write(text: String) throws(Failure) {
    try write(Array("\(PlainText.lines(text))\n".utf8))
  }

  package static func flush() throws(Failure) {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    do {
      try FileDescriptor.standardOutput.writeAll(buffer)
    } catch {
      throw Failure(writing: "standard output", error)
    }
  }

  // MARK: Standard error

  /// How long a stalled reader of the log delays the end.
  private static let drainTimeMax = Interval.milliseconds(500)

  /// The JSON log that receives every message; nil if messages are plain text. Set before any
  /// thread that reads it begins.
  nonisolated(unsafe) private static var log: BenchLog?

  /// Whether messages are JSON for programs.
  package static var isJSON: Bool { log != nil }

  /// Sends every message from now on through a JSON log, because its reader can parse nothing else.
  package static func sendMessages(through log: BenchLog) {
    if log.format == .json { self.log = log }
  }

  package static func report(_ line: String, _ level: Logger.Level = .notice) {
    send(PlainText.line(line), level)
  }

  /// Writes several lines of text to standard error. The line breaks are the program's own.
  package static func report(text: String, _ level: Logger.Level = .notice) {
    send(PlainText.lines(text), level)
  }

  /// Writes a line about a live session. Plain text names the program; JSON does not need to.
  package static func remark(_ line: String) { report(isJSON ? line : "sentrybench: \(line)") }

  private static func send(_ text: String, _ level: Logger.Level) {
    guard let log else { return display("\(text)\n") }
    log.put(text, level)
  }

  /// Writes what is still queued for the log's reader, at the end.
  package static func drain() { log?.writer.drain(within: drainTimeMax) }

  /// Writes a few hundred bytes to standard error if its reader takes them now; otherwise they are
  /// lost.
  static func offer(_ text: String) {
    if canDisplay(on: HostSystem.shared) { display(text) }
  }

  /// Whether the reader of standard error takes something now. A writable pipe takes PIPE_BUF
  /// bytes, at least 512.
  static func canDisplay(on system: any SystemCalls) -> Bool {
    system.poll(STDERR_FILENO, CInt(POLLOUT), within: 0) != 0
  }

  /// Writes part of a progress display to standard error.
  static func display(_ text: String) { display(Array(text.utf8)) }

  /// Writes bytes to standard error as they are: those of the command after `--`.
  static func display(_ bytes: [UInt8], on system: any SystemCalls = HostSystem.shared) {
    try? system.writeAll(STDERR_FILENO, bytes)
  }
}

/// How much a command prints on standard error.
package enum Verbosity: Hashable, Sendable {
  /// Errors and results only.
  case quiet
  case normal
  /// Also details that are rarely needed.
  case verbose
}

extension Verbosity {
  /// Reports what was assumed when the file at `path` was read.
  package func report(_ notes: [String], about path: String) {
    guard self != .quiet else { return }
    for note in notes { Console.report("\(path): \(note)") }
  }

  /// Reports what is wrong with a recording, whatever the verbosity: it is a result.
  func report(_ fault: RecordingFault?, _ hints: RecordingFault.Hints, about path: String) {
    if let fault { Console.report("\(path): error: \(fault.text(hints))") }
  }

  /// Reports the device's remarks about its program.
  func report(_ device: some Device) {
    guard self != .quiet else { return }
    for remark in device.remarks { Console.report(remark) }
  }
}

/// Rows of cells as lines.
enum TextTable {
  /// Returns the lines, in whose columns the cells begin, or with `isRight` end, at one place.
  static func lines(_ rows: [[String]], isRight: Bool = false) -> [String] {
    let columns = rows.first?.indices ?? 0..<0
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        isRight ? String(repeating: " ", count: width - cell.count) + cell : cell.padded(to: width)
      }
      var line = cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
