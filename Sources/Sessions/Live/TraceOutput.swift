import Platform
import SystemPackage

/// The trace on standard output, as it happens. Its reader may be slow: lines not taken yet are
/// queued here, so that the session continues.
struct TraceOutput {
  /// The maximum queue. A reader further behind delays the session. At 9600 baud, with a line for
  /// every byte, that is more than ten minutes.
  private static let waitingMax = 1 << 24
  /// How much a writable pipe takes without blocking: PIPE_BUF.
  private static let chunk = 4_096
  /// How long a stalled reader delays the end, once it is requested.
  private static let patienceMilliseconds = 1_000
  private static let pollMilliseconds: CInt = 50

  private var lines: [UInt8] = []
  /// The number of bytes of `lines` that are written.
  private var written = 0

  private var waiting: Int { lines.count - written }
  /// Whether lines are queued for the reader.
  var isBehind: Bool { waiting > 0 }

  /// Writes as much as the reader takes now.
  mutating func write(_ more: [UInt8]) throws(Failure) {
    lines += more
    try writeWhatFits()
    while waiting > Self.waitingMax, !SignalQueue.isEnding {
      try writeWhatFits(within: Self.pollMilliseconds)
    }
  }

  /// Writes the rest. After a request to end, a stalled reader does not delay the end for long.
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
    // Once, and not after each chunk, because it moves everything still queued.
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
    // An error is found by the next write.
    return poll(&output, 1, milliseconds) == 1
  }
}
