package import Sketches
import Synchronization
package import SystemPackage

/// Writes the log, usually to standard error, and never waits for its reader. Anything not accepted
/// at once is kept for later, up to a limit. A reader that has closed its end is not an error.
package final class LogWriter: Sendable {
  /// A writable descriptor accepts this many bytes without blocking: PIPE_BUF. The descriptor's
  /// mode is not changed, because a terminal shares its mode with the shell.
  private static let chunk = 4_096

  private struct State {
    var backlog: LogBacklog
    var hasReader = true
    var whenBehind: (@Sendable () -> Void)?

    var isBehind: Bool { !backlog.isEmpty && hasReader }
  }

  private let descriptor: FileDescriptor
  private let state: Mutex<State>

  /// The caller remains the owner of the descriptor. `note` makes the line that reports the number
  /// of missing lines.
  package init(
    to descriptor: FileDescriptor, note: @escaping @Sendable (_ missing: Int) -> [UInt8]
  ) {
    self.descriptor = descriptor
    state = Mutex(State(backlog: LogBacklog(note: note)))
  }

  package var dropped: Int { state.withLock { $0.backlog.dropped } }
  /// Whether lines are waiting, so that it must be flushed periodically.
  package var isBehind: Bool { state.withLock(\.isBehind) }

  /// Sets an action, which is called on the writing thread each time that lines begin to wait.
  package func whenBehind(_ action: (@Sendable () -> Void)?) {
    state.withLock { $0.whenBehind = action }
  }

  package func write(_ line: [UInt8]) {
    let action = state.withLock { state -> (@Sendable () -> Void)? in
      let wasBehind = state.isBehind
      state.backlog.put(line)
      writeWhatFits(&state)
      return !wasBehind && state.isBehind ? state.whenBehind : nil
    }
    action?()
  }

  /// Writes as much of the waiting lines as is accepted now.
  package func flush() {
    state.withLock {
      $0.backlog.reportDropped()
      writeWhatFits(&$0)
    }
  }

  /// Writes the waiting lines, and waits at most this long for a reader that accepts nothing. Used
  /// at the end.
  package func drain(within timeout: Interval) {
    var left = timeout
    let step = Interval.milliseconds(10)
    flush()
    while isBehind, left > .zero {
      state.withLock { writeWhatFits(&$0, within: CInt(step.nanoseconds / 1_000_000)) }
      left = left - step
    }
  }

  private func writeWhatFits(_ state: inout State, within milliseconds: CInt = 0) {
    while state.hasReader, !state.backlog.next.isEmpty, canWrite(within: milliseconds) {
      do {
        let count = try state.backlog.next.prefix(Self.chunk).withUnsafeBytes {
          try descriptor.write($0)
        }
        state.backlog.wrote(count)
      } catch Errno.wouldBlock {
        return
      } catch {
        // There is no reader any more, or a disk is full. The former is permanent.
        let cause = error as? Errno
        state.hasReader = cause != .brokenPipe && cause != .badFileDescriptor
        return state.backlog.giveUp()
      }
    }
    if !state.hasReader { state.backlog.giveUp() }
  }

  private func canWrite(within milliseconds: CInt) -> Bool {
    var output = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
    // An error is reported by the attempt to write.
    return poll(&output, 1, milliseconds) == 1
  }
}

/// Lines of the log that wait until they are read, up to a limit. Further lines are dropped and
/// counted, and their number is reported at the place where they are missing.
package struct LogBacklog: Sendable {
  package static let bytesMax = 65_536

  private var waiting: [UInt8] = []
  private var unreported = 0
  /// In the waiting text: the number of lines that report missing lines, and the number of lines
  /// they report.
  private var notes = (lines: 0, missing: 0)
  package private(set) var dropped = 0
  private let note: @Sendable (Int) -> [UInt8]

  /// `note` makes the line that reports the number of missing lines.
  package init(note: @escaping @Sendable (Int) -> [UInt8]) { self.note = note }

  package var isEmpty: Bool { waiting.isEmpty && unreported == 0 }

  /// The bytes to write next.
  package var next: ArraySlice<UInt8> { waiting[...] }

  package mutating func put(_ line: [UInt8]) {
    reportDropped()
    guard unreported == 0, waiting.count + line.count <= Self.bytesMax else {
      unreported += 1
      dropped += 1
      return
    }
    waiting += line
  }

  /// Records that `count` bytes of `next` have been written.
  package mutating func wrote(_ count: Int) {
    waiting.removeFirst(count)
    if waiting.isEmpty { notes = (0, 0) }
    reportDropped()
  }

  /// Drops everything that waits, because it cannot be written.
  package mutating func giveUp() {
    let lines = max(0, waiting.count { $0 == UInt8(ascii: "\n") } - notes.lines)
    dropped += lines
    unreported += lines + notes.missing
    notes = (0, 0)
    waiting = []
  }

  /// Adds the line that reports dropped lines, but only when half the room is free, so that such
  /// lines are not the only ones read.
  package mutating func reportDropped() {
    guard unreported > 0, waiting.count <= Self.bytesMax / 2 else { return }
    waiting += note(unreported)
    notes = (notes.lines + 1, notes.missing + unreported)
    unreported = 0
  }
}
