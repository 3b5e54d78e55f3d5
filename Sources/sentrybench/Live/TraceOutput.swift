import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The trace on standard output, while it happens. Whoever reads it may be slow: what is not taken waits
/// here, so that the session goes on.
struct TraceOutput {
  /// A reader that is further behind is waited for.
  private static let waitingMax = 1 << 20
  /// A pipe that can be written to takes so much without making the writer wait: PIPE_BUF.
  private static let chunk = 4_096
  /// When the session is being ended, a reader that takes nothing is given so long.
  private static let patienceMilliseconds = 1_000
  private static let pollMilliseconds: CInt = 50

  private var waiting: [UInt8] = []

  /// Whether something waits for the reader.
  var isBehind: Bool { !waiting.isEmpty }

  /// Writes what the reader takes now.
  mutating func write(_ lines: [UInt8]) throws(Failure) {
    waiting += lines
    try writeWhatFits()
    while waiting.count > Self.waitingMax, !SignalQueue.isEnding {
      try writeWhatFits(within: Self.pollMilliseconds)
    }
  }

  /// Writes the rest. After a request to end, a reader that takes nothing does not hold the end up.
  mutating func finish() throws(Failure) {
    var patience = Self.patienceMilliseconds
    while isBehind {
      let before = waiting.count
      try writeWhatFits(within: Self.pollMilliseconds)
      guard waiting.count == before, SignalQueue.isEnding else { continue }
      patience -= Int(Self.pollMilliseconds)
      if patience <= 0 { waiting = [] }
    }
  }

  private mutating func writeWhatFits(within milliseconds: CInt = 0) throws(Failure) {
    var done = 0
    defer { waiting.removeFirst(done) }
    while done < waiting.count, Self.canWrite(within: milliseconds) {
      do {
        let end = min(done + Self.chunk, waiting.count)
        done += try waiting[done..<end].withUnsafeBytes {
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
