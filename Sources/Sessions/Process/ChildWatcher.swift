import Engine
import Platform
import Sketches

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
  private let lifeline: CInt
  private let leadsGroup: Bool
  private let system: any SystemCalls

  /// Signals to the group, such as a request to end, are for the others in it.
  private static let script = """
    trap '' HUP INT QUIT TERM
    read -r line && exit
    if test "$1" = 0; then kill -TERM 0; sleep 1; fi
    kill -KILL "$1"
    """

  /// Returns nil if it cannot be started: then nothing watches the child.
  static func start(of ward: Ward, on system: any SystemCalls) -> ChildWatcher? {
    let (target, leadsGroup) =
      switch ward {
      case .itsGroup: ("0", true)
      case .process(let id): (String(id), false)
      }
    guard let pipe = try? system.pipe() else { return nil }
    defer { system.close(pipe.readEnd) }
    var program = NewProgram(["/bin/sh", "-c", script, "sentrybench-watcher", target])
    program.input = .descriptor(pipe.readEnd)
    (program.output, program.errors) = (.empty, .empty)
    program.group = 0
    guard let id = try? system.start(program) else {
      system.close(pipe.writeEnd)
      return nil
    }
    return ChildWatcher(id: id, lifeline: pipe.writeEnd, leadsGroup: leadsGroup, system: system)
  }

  /// Makes it leave the child alone, from the return of this on even if the bench is killed.
  func dismiss() { try? system.writeAll(lifeline, [0x0A]) }

  deinit {
    system.signal(leadsGroup ? -id : id, SIGKILL)
    system.close(lifeline)
    _ = system.takeEnd(of: id, until: system.now + .seconds(1))
  }
}
