package import Sketches
package import SystemPackage

/// The operating system, as far as a live session uses it: its clock and its wait, descriptors,
/// terminals, sockets and processes. Tests replace it by one in memory, in which time jumps.
///
/// Only `wait` and `poll` are meant to wait. Writing to a terminal, and to a disk, can.
package protocol SystemCalls: AnyObject, Sendable {
  // MARK: Time

  /// The monotonic clock.
  var now: HostTime { get }
  /// Makes waits end on time, as far as the system can.
  func sharpenTimers()
  /// Waits until one of the descriptors is readable. Returns the readable ones; none if the
  /// timeout has passed or a signal arrived. Without a timeout it waits indefinitely. It can return
  /// a little early.
  func wait(for descriptors: [CInt], timeout: Interval?) -> [CInt]
  /// Waits for events of one descriptor, as `poll` does. Returns those that were found.
  func poll(_ descriptor: CInt, _ events: CInt, within milliseconds: CInt) -> CInt

  // MARK: Descriptors

  /// Returns how many bytes were read; 0 at the end.
  func read(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
  func close(_ descriptor: CInt)
  /// Makes reads and writes fail instead of waiting. Child processes do not inherit the descriptor.
  func makeNonblocking(_ descriptor: CInt)
  /// Creates a pipe that child processes do not inherit.
  func pipe() throws(Errno) -> (readEnd: CInt, writeEnd: CInt)
  /// Cuts a file to this length in bytes.
  func truncate(_ file: CInt, to length: Int64)
  /// Flushes a file to the disk.
  func synchronize(_ file: CInt) throws(Errno)

  // MARK: Terminals

  /// Creates a pty. Its master is nonblocking; `path` is the other end.
  func openPty() throws(Errno) -> (master: CInt, path: String)
  /// Opens a terminal for reading and writing without blocking.
  func openTerminal(_ path: String) throws(Errno) -> CInt
  func isTerminal(_ descriptor: CInt) -> Bool
  /// The settings of a terminal; nil if they cannot be read.
  func settings(of terminal: CInt) -> termios?
  func set(_ settings: termios, of terminal: CInt) throws(Errno)
  /// The speed of a terminal in bits a second; nil if it is 0 (hang up) or unknown.
  func speed(of terminal: CInt) -> Int?
  func set(speed: Int, of terminal: CInt) throws(Errno)
  func change(_ terminal: CInt, _ change: TerminalChange) throws(Errno)
  /// Watches the openings and closings of a terminal. The result becomes readable with each.
  func watch(_ path: String) throws(Errno) -> CInt
  /// Returns the openings (true) and closings (false) that a watch has noticed since the last call.
  func takeOpenings(_ watch: CInt) -> [Bool]
  /// Watches the order in which programs write to the terminal at `path` and change its settings.
  /// `master` is its other end. `writes` becomes readable with each write.
  func watchOrder(of path: String, _ master: CInt) throws(Errno) -> (order: CInt, writes: CInt)
  /// Returns what has happened since the last call, each only the first time, in order. Empty if
  /// the system does not show it.
  func takeOrder(_ order: CInt, writes: CInt) -> [SenderAction]

  // MARK: Sockets

  /// Accepts a connection that waits at a listening socket. Puts the address of its other end into
  /// `address`.
  func accept(_ listener: CInt, from address: inout sockaddr_storage) throws(Errno) -> CInt
  /// Writes to a socket, without SIGPIPE if the other end is closed.
  func send(_ socket: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
  func set(_ options: [SocketOption], of socket: CInt)
  /// Sends no more. What was written still arrives.
  func endWriting(_ socket: CInt)

  // MARK: Processes

  /// Starts a program. Returns the number of its process.
  func start(_ program: NewProgram) throws(Errno) -> pid_t
  /// Whether a child process has ended. It keeps its number.
  func hasEnded(_ process: pid_t) -> Bool
  /// Returns how a child process has ended, as `waitpid` reports it; nil if it is running. After
  /// that, its number can become that of another process.
  func takeEnd(of process: pid_t) -> CInt?
  /// Sends a signal to a process, or with a minus sign to a group.
  func signal(_ process: pid_t, _ number: CInt)
}

/// What a program does at its end of a pty.
package enum SenderAction: Hashable, Sendable {
  case write
  /// A change of the settings, or another one that the other end is notified of.
  case change
}

/// What can be done with a terminal in addition to its settings.
package enum TerminalChange: Hashable, Sendable {
  /// Each read of the master begins with a byte for its type (TIOCPKT).
  case beginPackets
  /// Makes those that write to it wait, or continue (TCOOFF, TCOON).
  case hold, release
  /// Discards what has arrived and was not read (TCIFLUSH).
  case discardInput
  /// Ends the claim that keeps out other programs, whoever made it (TIOCEXCL).
  case giveUp
}

/// An option of a socket, with its value.
package struct SocketOption: Hashable, Sendable {
  package var level: CInt
  package var name: CInt
  package var value: CInt

  package init(level: CInt, name: CInt, value: CInt) {
    (self.level, self.name, self.value) = (level, name, value)
  }
}

/// A program to start.
package struct NewProgram: Sendable {
  package enum Stream: Hashable, Sendable {
    /// The bench's own.
    case inherited
    /// /dev/null.
    case empty
    case descriptor(CInt)
  }

  /// Its path or its name, which is found on the PATH, and its arguments.
  package var words: [String]
  /// The variables that are added to the bench's environment, or replaced in it.
  package var variables: [(name: String, value: String)] = []
  package var input = Stream.inherited
  package var output = Stream.inherited
  package var errors = Stream.inherited
  /// The folder that it starts in; nil for the bench's own.
  package var folder: String?
  /// Its process group, 0 for a new one; nil for the bench's own.
  package var group: pid_t?
  /// The signals that it must not ignore, although the bench does.
  package var usualSignals: [CInt] = []

  package init(_ words: [String]) { self.words = words }
}

extension SystemCalls {
  /// Reads at most `count` bytes; none at the end.
  package func read(_ descriptor: CInt, upTo count: Int) throws(Errno) -> [UInt8] {
    var cause: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(Errno) {
        initialized = try read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
      } catch {
        cause = error
      }
    }
    if let cause { throw cause }
    return bytes
  }

  /// Writes as many bytes as there is room for. Returns how many that were.
  package func write(_ descriptor: CInt, _ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Errno) in
      try write(descriptor, UnsafeRawBufferPointer(buffer))
    }
  }

  /// Waits for the end of a child process that was killed, until a deadline.
  package func takeEnd(of process: pid_t, until deadline: HostTime) -> CInt? {
    while true {
      if let state = takeEnd(of: process) { return state }
      guard now < deadline else { return nil }
      _ = wait(for: [], timeout: .milliseconds(1))
    }
  }

  package func writeAll(_ descriptor: CInt, _ bytes: [UInt8]) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try write(descriptor, rest)) }
  }
}

extension Errno {
  /// Whether the system has no descriptor or no memory for another one.
  package var isShortage: Bool {
    [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noBufferSpace, .noMemory].contains(self)
  }
}

/// Owns an open descriptor and closes it at the end of its own lifetime.
package struct Descriptor: ~Copyable, Sendable {
  package let value: FileDescriptor
  private let system: any SystemCalls

  package init(_ number: CInt, of system: any SystemCalls) {
    value = FileDescriptor(rawValue: number)
    self.system = system
  }

  deinit { system.close(value.rawValue) }
}
