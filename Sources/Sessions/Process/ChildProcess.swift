import Engine
import Platform
import Synchronization
import SystemPackage

/// A program that the bench has started: the command after `--`, or a bench of a suite.
///
/// It inherits no descriptors other than the standard ones: a listening socket would keep the
/// bench's address in use for as long as anything that the program started is running.
///
/// It ends with the bench, also if SIGKILL ends the bench: see `ChildWatcher`.
struct ChildProcess: ~Copyable {
  private let id: pid_t
  /// Its process group, which is ended with it; nil if it may read from the terminal, and stays in
  /// the foreground group instead.
  private let group: pid_t?
  private let isCompanion: Bool
  private var watcher: ChildWatcher?
  /// How it ended: its exit status, or 128 + n for signal n.
  private(set) var status: ExitStatus?
  /// The signal that ended it; nil if it ended by itself or is running.
  private(set) var endingSignal: CInt?

  /// A program's standard descriptors, and the folder that it runs in.
  struct Wiring {
    /// Its standard input; nil for the bench's own or, unless it is a companion, an empty one.
    var input: FileDescriptor?
    /// Where its standard output is written; nil for the bench's standard error, because the
    /// bench's standard output is the trace.
    var output: FileDescriptor?
    /// Where its standard error is written; nil for the bench's own.
    var errors: FileDescriptor?
    /// The folder that it starts in; nil for the bench's own.
    var folder: String?
    /// Whether it belongs to the terminal's user: it can read from the terminal, and is killed if a
    /// second signal ends the bench. Otherwise its standard input is empty.
    var isCompanion = true
  }

  /// Starts a command found on the PATH, with additional environment variables.
  static func start(
    _ command: [String], adding variables: [(name: String, value: String)] = [],
    wiring: Wiring = Wiring()
  ) throws(Failure) -> ChildProcess {
    var actions = emptyActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input = wiring.input {
      posix_spawn_file_actions_adddup2(&actions, input.rawValue, STDIN_FILENO)
    } else if !wiring.isCompanion {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(
      &actions, wiring.output?.rawValue ?? STDERR_FILENO, STDOUT_FILENO)
    if let errors = wiring.errors {
      posix_spawn_file_actions_adddup2(&actions, errors.rawValue, STDERR_FILENO)
    }
    if let folder = wiring.folder, !start(in: folder, &actions) {
      throw Failure(.unavailable, "\(command[0]): error: cannot be started in another folder")
    }
    let closing = closeOthers(&actions)

    var attributes = emptyAttributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var usual = sigset_t()
    sigemptyset(&none)
    sigemptyset(&usual)
    for number in Signals.ignored { sigaddset(&usual, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &usual)
    let hasGroup = !wiring.isCompanion || isatty(STDIN_FILENO) == 0
    // Started first: there is no moment in which the child runs without it.
    var watcher = hasGroup ? ChildWatcher.start(of: .itsGroup) : nil
    var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | closing
    if hasGroup {
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
      posix_spawnattr_setpgroup(&attributes, watcher?.id ?? 0)
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var arguments = command.map { strdup($0) } + [nil]
    var settings = environment(adding: variables)
    defer { for text in arguments + settings { free(text) } }
    var id: pid_t = 0
    let cause = posix_spawnp(&id, command[0], &actions, &attributes, &arguments, &settings)
    guard cause == 0 else {
      // As in a shell: 127 for not found, 126 for found but not executable.
      let errno = Errno(rawValue: cause)
      throw Failure(
        ExitStatus(rawValue: errno == .noSuchFileOrDirectory ? 127 : 126),
        "\(command[0]): error: cannot be started: \(errno)")
    }
    let group = hasGroup ? watcher?.id ?? id : nil
    if !hasGroup { watcher = ChildWatcher.start(of: .process(id)) }
    if wiring.isCompanion { Signals.companion.store(group.map { -$0 } ?? id, ordering: .relaxed) }
    return ChildProcess(
      id: id, group: group, isCompanion: wiring.isCompanion, watcher: watcher)
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

  private init(id: pid_t, group: pid_t?, isCompanion: Bool, watcher: consuming ChildWatcher?) {
    self.id = id
    self.group = group
    self.isCompanion = isCompanion
    self.watcher = watcher
  }

  /// Checks whether it has ended.
  mutating func updateStatus() {
    guard status == nil else { return }
    if group == nil {
      // A process that has ended keeps its number until it is waited for. The watcher must not kill
      // that number afterwards.
      var ended = siginfo_t()
      guard waitid(P_PID, id_t(id), &ended, WEXITED | WNOHANG | WNOWAIT) == 0, ended.si_signo != 0
      else { return }
      watcher?.dismiss()
    }
    var state: CInt = 0
    guard waitpid(id, &state, WNOHANG) == id else { return }
    if isCompanion { Signals.companion.store(0, ordering: .relaxed) }
    let number = state & 0x7F
    if number != 0 { endingSignal = number }
    status = number == 0 ? ExitStatus(rawValue: state >> 8 & 0xFF) : .signal(number)
  }

  /// Kills what is left of its process group, if it has one. Its watcher ends too.
  mutating func killGroup() {
    guard let group else { return }
    if watcher == nil { kill(-group, SIGKILL) }
    watcher = nil
  }

  /// Sends a signal to it and to its group, if it has one.
  func send(_ number: CInt) {
    guard status == nil else { return }
    kill(group.map { -$0 } ?? id, number)
  }
}
