package import Log
package import Logging
import Platform
import SystemPackage
import Traces
import Turret

/// Standard output, buffered, and standard error. Used from the main thread only.
///
/// All text for people passes here. Parts of it come from files, boards, the network and the
/// command line; none of them can control the terminal.
package enum Console {
  private static let bufferMax = 1 << 16
  nonisolated(unsafe) private static var buffer: [UInt8] = []

  /// Whether a person watches standard error, or standard output, and wants moving displays.
  static var isErrorWatched: Bool { isWatched(.standardError) }
  static var isOutputWatched: Bool { isWatched(.standardOutput) }

  private static func isWatched(_ output: FileDescriptor) -> Bool {
    func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    return isatty(output.rawValue) == 1
      && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// Writes a result to standard output.
  package static func write(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    if buffer.count >= bufferMax { try flush() }
  }

  /// Writes a line for people, or of JSON, to standard output.
  package static func write(_ line: String) throws(Failure) {
    try write(Array("\(PlainText.escaped(line))\n".utf8))
  }

  /// Writes several lines for people to standard output; the line ends are the program's own.
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

  /// A reader of the log that takes nothing is given so long at the end.
  private static let logPatience = Interval.milliseconds(500)

  /// The log in JSON that takes every message; nil: messages are text for people.
  nonisolated(unsafe) private static var log: BenchLog?

  /// Whether messages are JSON for programs.
  package static var isJSON: Bool { log != nil }

  /// Sends every message from here on through a log in JSON, whose reader can parse nothing else.
  package static func speak(through log: BenchLog) {
    if log.format == .json { self.log = log }
  }

  /// Writes a line for people to standard error.
  package static func report(_ line: String, _ level: Logger.Level = .notice) {
    say(PlainText.line(line), level)
  }

  /// Writes several lines for people to standard error; the line ends are the program's own.
  package static func report(text: String, _ level: Logger.Level = .notice) {
    say(PlainText.lines(text), level)
  }

  /// Writes a line about a live session. Only people need to be told which program it is from.
  package static func remark(_ line: String) { report(isJSON ? line : "sentrybench: \(line)") }

  private static func say(_ text: String, _ level: Logger.Level) {
    guard let log else { return display("\(text)\n") }
    log.put(text, level)
  }

  /// Writes what still waits for the log's reader. For the end.
  package static func drain() { log?.writer.drain(within: logPatience) }

  /// Writes a few hundred bytes to standard error, if whoever reads that takes them now; else they
  /// are lost.
  static func offer(_ text: String) {
    var output = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    // A pipe that can be written to takes PIPE_BUF bytes, which are 512 at least.
    if poll(&output, 1, 0) == 1 { display(text) }
  }

  /// Writes to standard error what a progress display is made of.
  static func display(_ text: String) {
    _ = try? FileDescriptor.standardError.writeAll(Array(text.utf8))
  }
}
