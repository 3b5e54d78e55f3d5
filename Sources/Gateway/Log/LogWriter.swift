import Synchronization
package import SystemPackage
package import Turret

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes the log where it is read, as a rule to standard error, and never waits for the reader: what is
/// not taken at once is kept for later, up to a limit. A reader that is gone is no fault either.
package final class LogWriter: Sendable {
  /// What can be written to takes so much without making the writer wait: PIPE_BUF. The descriptor's own
  /// mode stays as it is, as a terminal's is the shell's as well.
  private static let chunk = 4_096

  private struct State {
    var backlog: LogBacklog
    var hasReader = true
    var whenBehind: (@Sendable () -> Void)?

    var isBehind: Bool { !backlog.isEmpty && hasReader }
  }

  private let descriptor: FileDescriptor
  private let state: Mutex<State>

  /// The descriptor remains the caller's. `note` makes the line that tells how many lines are missing.
  package init(
    to descriptor: FileDescriptor, note: @escaping @Sendable (_ missing: Int) -> [UInt8]
  ) {
    self.descriptor = descriptor
    state = Mutex(State(backlog: LogBacklog(note: note)))
  }

  /// Lines that were dropped so far.
  package var dropped: Int { state.withLock { $0.backlog.dropped } }
  /// Whether something waits: to be flushed now and then.
  package var isBehind: Bool { state.withLock(\.isBehind) }

  /// Who is told, on the thread that writes, each time that something begins to wait; nil: nobody.
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

  /// Writes what is taken now of what waits.
  package func flush() {
    state.withLock {
      $0.backlog.tellIfThereIsRoom()
      writeWhatFits(&$0)
    }
  }

  /// Writes what waits, and gives a reader that takes nothing so long. For the end.
  package func drain(within patience: Interval) {
    var left = patience
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
        // Nobody reads any more, or a disk is full. The former stays so.
        let cause = error as? Errno
        state.hasReader = cause != .brokenPipe && cause != .badFileDescriptor
        return state.backlog.giveUp()
      }
    }
    if !state.hasReader { state.backlog.giveUp() }
  }

  private func canWrite(within milliseconds: CInt) -> Bool {
    var output = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
    // An error shows when writing is tried.
    return poll(&output, 1, milliseconds) == 1
  }
}
