import Platform
import SystemPackage

/// A shell that ends a child process when the bench is gone, for whatever reason: it reads a pipe
/// whose other end only the bench has open. A signal at the parent's death (PR_SET_PDEATHSIG)
/// cannot be requested through `posix_spawn`, comes when the thread ends that started the child,
/// and exists on Linux only.
///
///     waiting --the bench has gone--> SIGTERM to the group --1 s--> SIGKILL
///        +----- dismissed, or killed with the group -----> ended
struct ChildWatcher: ~Copyable {
  /// What it ends.
  enum Ward {
    /// All processes of the group that it leads. No other group gets its number as long as it
    /// is in the group.
    case itsGroup
    /// A process of another group. It is killed at once, since later its number may be that of
    /// another process.
    case process(pid_t)
  }

  let id: pid_t
  private let lifeline: FileDescriptor
  private let leadsGroup: Bool

  /// Signals to the group, such as a request to end, are for the others in it.
  private static let script = """
    trap '' HUP INT QUIT TERM
    read -r line && exit
    if test "$1" = 0; then kill -TERM 0; sleep 1; fi
    kill -KILL "$1"
    """

  /// Returns nil if it cannot be started: then nothing watches the child.
  static func start(of ward: Ward) -> ChildWatcher? {
    let (target, leadsGroup) =
      switch ward {
      case .itsGroup: ("0", true)
      case .process(let id): (String(id), false)
      }
    guard let pipe = try? FileDescriptor.closeOnExecPipe() else { return nil }
    defer { try? pipe.readEnd.close() }
    var actions = ChildProcess.emptyActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipe.readEnd.rawValue, STDIN_FILENO)
    for number in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
    }
    let closing = ChildProcess.closeOthers(&actions)
    var attributes = ChildProcess.emptyAttributes()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETPGROUP) | closing
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let words = ["/bin/sh", "-c", script, "sentrybench-watcher", target]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for text in arguments { free(text) } }
    var id: pid_t = 0
    guard
      posix_spawn(
        &id, "/bin/sh", &actions, &attributes, &arguments, ChildProcess.ownEnvironment) == 0
    else {
      try? pipe.writeEnd.close()
      return nil
    }
    return ChildWatcher(id: id, lifeline: pipe.writeEnd, leadsGroup: leadsGroup)
  }

  /// Makes it leave the child alone, from the return of this on even if the bench is killed.
  func dismiss() { _ = try? lifeline.writeAll([0x0A]) }

  deinit {
    kill(leadsGroup ? -id : id, SIGKILL)
    try? lifeline.close()
    var state: CInt = 0
    while waitpid(id, &state, 0) == -1, errno == EINTR {}
  }
}
