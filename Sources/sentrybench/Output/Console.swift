import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Standard output, buffered, and standard error. Used from the main thread only.
enum Console {
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
  static func write(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    if buffer.count >= bufferMax { try flush() }
  }

  static func write(_ line: String) throws(Failure) {
    buffer += line.utf8
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= bufferMax { try flush() }
  }

  static func flush() throws(Failure) {
    guard !buffer.isEmpty else { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    do {
      try FileDescriptor.standardOutput.writeAll(buffer)
    } catch {
      throw Failure(writing: "standard output", error)
    }
  }

  /// Writes a line for people to standard error.
  static func report(_ line: String) {
    _ = try? FileDescriptor.standardError.writeAll(Array("\(line)\n".utf8))
  }

  /// Writes a few hundred bytes to standard error, if whoever reads that takes them now; else they are lost.
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
