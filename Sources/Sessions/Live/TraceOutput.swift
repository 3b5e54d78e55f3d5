import Platform
import SystemPackage

/// The trace on standard output, while it happens. Whoever reads it may be slow: what is not taken
/// waits here, so that the session goes on.
struct TraceOutput {
  /// A reader that is further behind is waited for. At 9600 baud, with a line for every byte, that
  /// is more than ten minutes.
  private static let waitingMax = 1 << 24
  /// A pipe that can be written to takes so much without making the writer wait: PIPE_BUF.
  private static let chunk = 4_096
  /// When the session is being ended, a reader that takes nothing is given so long.
  private static let patienceMilliseconds = 1_000
  private static let pollMilliseconds: CInt = 50

  private var lines: [UInt8] = []
  /// So many of `lines` are written.
  private var written = 0

  private var waiting: Int { lines.count - written }
  /// Whether something waits for the reader.
  var isBehind: Bool { waiting > 0 }

  /// Writes what the reader takes now.
  mutating func write(_ more: [UInt8]) throws(Failure) {
    lines += more
    try writeWhatFits()
    while waiting > Self.waitingMax, !SignalQueue.isEnding {
      try writeWhatFits(within: Self.pollMilliseconds)
    }
  }

  /// Writes the rest. After a request to end, a reader that takes nothing does not hold the end up.
  mutating func finish() throws(Failure) {
    var patience = Self.patienceMilliseconds
    while isBehind {
      let before = waiting
      try writeWhatFits(within: Self.pollMilliseconds)
      guard waiting == before, SignalQueue.isEnding else { continue }
      patience -= Int(Self.pollMilliseconds)
      if patience <= 0 { written = lines.count }
    }
  }

  private mutating func writeWhatFits(within milliseconds: CInt = 0) throws(Failure) {
    // Not at each chunk: what waits behind it would have to be moved.
    defer {
      if written > lines.count / 2 {
        lines.removeFirst(written)
        written = 0
      }
    }
    while isBehind, Self.canWrite(within: milliseconds) {
      do {
        let end = min(written + Self.chunk, lines.count)
        written += try lines[written..<end].withUnsafeBytes {
          try FileDescriptor.standardOutput.write($0)
        }
      } catch Errno.wouldBlock {
        return
      } catch {
        throw Failure(writing: "standard output", error)
      }
    }
  }

  private static func canWrite(within milliseconds: CInt) -> Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    // An error shows when writing is tried.
    return poll(&output, 1, milliseconds) == 1
  }
}
