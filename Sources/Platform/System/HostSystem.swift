package import Sketches
package import SystemPackage

/// The operating system of this computer.
package final class HostSystem: SystemCalls {
  package static let shared = HostSystem()

  private init() {}

  // MARK: Time

  package var now: HostTime { .now }

  package func poll(_ descriptor: CInt, _ events: CInt, within milliseconds: CInt) -> CInt {
    var polled = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    return Platform.poll(&polled, 1, milliseconds) == 1 ? CInt(polled.revents) : 0
  }

  // MARK: Descriptors

  package func read(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try Self.count { Platform.read(descriptor, buffer.baseAddress, buffer.count) }
  }

  package func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try Self.count { Platform.write(descriptor, bytes.baseAddress, bytes.count) }
  }

  package func close(_ descriptor: CInt) { _ = Platform.close(descriptor) }

  package func makeNonblocking(_ descriptor: CInt) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  package func pipe() throws(Errno) -> (readEnd: CInt, writeEnd: CInt) {
    let pipe = try FileDescriptor.closeOnExecPipe()
    return (pipe.readEnd.rawValue, pipe.writeEnd.rawValue)
  }

  package func truncate(_ file: CInt, to length: Int64) { _ = ftruncate(file, off_t(length)) }

  package func synchronize(_ file: CInt) throws(Errno) {
    if fsync(file) != 0 { throw Self.failure }
  }

  /// The cause of the last call's failure.
  static var failure: Errno { Errno(rawValue: errno) }

  /// Returns the result of a call that counts bytes. It is repeated if a signal interrupts it.
  private static func count(_ call: () -> Int) throws(Errno) -> Int {
    while true {
      let count = call()
      if count >= 0 { return count }
      let cause = failure
      if cause != .interrupted { throw cause }
    }
  }

  // MARK: Terminals

  package func openTerminal(_ path: String) throws(Errno) -> CInt {
    let number = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { throw Self.failure }
    return number
  }

  package func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  package func settings(of terminal: CInt) -> termios? {
    var settings = termios()
    return tcgetattr(terminal, &settings) == 0 ? settings : nil
  }

  package func set(_ settings: termios, of terminal: CInt) throws(Errno) {
    var settings = settings
    guard tcsetattr(terminal, TCSANOW, &settings) == 0 else { throw Self.failure }
  }

  package func speed(of terminal: CInt) -> Int? { LineSpeed.of(terminal) }

  package func set(speed: Int, of terminal: CInt) throws(Errno) {
    guard LineSpeed.set(speed, on: terminal) else { throw Self.failure }
  }

  package func change(_ terminal: CInt, _ change: TerminalChange) throws(Errno) {
    let status: CInt
    switch change {
    case .beginPackets:
      var on: CInt = 1
      status = ioctl(terminal, UInt(TIOCPKT), &on)
    case .hold: status = tcflow(terminal, TCOOFF)
    case .release: status = tcflow(terminal, TCOON)
    case .discardInput: status = tcflush(terminal, TCIFLUSH)
    case .giveUp:
      #if os(Linux)
        status = ioctl(terminal, UInt(TIOCNXCL))
      #else
        status = 0
      #endif
    }
    guard status == 0 else { throw Self.failure }
  }

  // MARK: Sockets

  package func accept(
    _ listener: CInt, from address: inout sockaddr_storage
  ) throws(Errno) -> CInt {
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Platform.accept(listener, $0, &size) }
    }
    guard number >= 0 else { throw Self.failure }
    return number
  }

  package func send(_ socket: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    // Without SIGPIPE on a closed connection, if the system has a flag for that. The program
    // ignores that signal anyway.
    #if os(Linux)
      let flags = CInt(MSG_NOSIGNAL)
    #else
      let flags: CInt = 0
    #endif
    return try Self.count { Platform.send(socket, bytes.baseAddress, bytes.count, flags) }
  }

  package func set(_ options: [SocketOption], of socket: CInt) {
    for option in options {
      var value = option.value
      setsockopt(socket, option.level, option.name, &value, socklen_t(MemoryLayout<CInt>.size))
    }
  }

  package func endWriting(_ socket: CInt) { _ = shutdown(socket, CInt(SHUT_WR)) }

  // MARK: Processes

  package func start(_ program: NewProgram) throws(Errno) -> pid_t {
    var actions = Self.emptyActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let streams = [
      (STDIN_FILENO, program.input, O_RDONLY), (STDOUT_FILENO, program.output, O_WRONLY),
      (STDERR_FILENO, program.errors, O_WRONLY),
    ]
    for (number, stream, mode) in streams {
      switch stream {
      case .inherited: break
      case .empty: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
      case .descriptor(let own): posix_spawn_file_actions_adddup2(&actions, own, number)
      }
    }
    if let folder = program.folder, !Self.start(in: folder, &actions) { throw .notSupported }
    let closing = Self.closeOthers(&actions)

    var attributes = Self.emptyAttributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var usual = sigset_t()
    sigemptyset(&none)
    sigemptyset(&usual)
    for number in program.usualSignals { sigaddset(&usual, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | closing
    if let group = program.group {
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
      posix_spawnattr_setpgroup(&attributes, group)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var arguments = program.words.map { strdup($0) } + [nil]
    var settings = Self.environment(adding: program.variables)
    defer { for text in arguments + settings { free(text) } }
    var id: pid_t = 0
    let cause = posix_spawnp(&id, program.words[0], &actions, &attributes, &arguments, &settings)
    guard cause == 0 else { throw Errno(rawValue: cause) }
    return id
  }

  /// Returns a copy of the bench's environment in which these variables are added or replaced. The
  /// caller frees its strings.
  ///
  /// The bench's own environment is not changed, because another thread can be reading it.
  private static func environment(
    adding variables: [(name: String, value: String)]
  ) -> [UnsafeMutablePointer<CChar>?] {
    var copy: [UnsafeMutablePointer<CChar>?] = []
    var next = ownEnvironment
    while let entry = next.pointee {
      let isReplaced = variables.contains {
        strncmp(entry, "\($0.name)=", $0.name.utf8.count + 1) == 0
      }
      if !isReplaced { copy.append(strdup(entry)) }
      next += 1
    }
    for variable in variables { copy.append(strdup("\(variable.name)=\(variable.value)")) }
    return copy + [nil]
  }

  package func hasEnded(_ process: pid_t) -> Bool {
    var ended = siginfo_t()
    return waitid(P_PID, id_t(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0
      && ended.si_signo != 0
  }

  package func takeEnd(of process: pid_t) -> CInt? {
    var state: CInt = 0
    while true {
      let id = waitpid(process, &state, WNOHANG)
      if id == -1, errno == EINTR { continue }
      return id == process ? state : nil
    }
  }

  package func signal(_ process: pid_t, _ number: CInt) { _ = kill(process, number) }
}
