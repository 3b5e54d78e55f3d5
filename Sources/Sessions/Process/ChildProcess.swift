import Engine
import Platform
import Sketches
import Synchronization
import SystemPackage

/// A program that the bench has started, such as the command after `--`.
///
/// It inherits no descriptors other than the standard ones: a listening socket would keep the
/// bench's address in use for as long as anything that the program started is running.
///
/// It ends with the bench, also if SIGKILL ends the bench: see `ChildWatcher`.
struct ChildProcess: ~Copyable {
  private let id: pid_t
  /// Its process group, which is ended with it; nil if it may read from the terminal, and stays in
  /// the foreground group instead, and after the group was killed.
  private var group: pid_t?
  private let isCompanion: Bool
  private let system: any SystemCalls
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
    wiring: Wiring = Wiring(), on system: any SystemCalls = HostSystem.shared
  ) throws(Failure) -> ChildProcess {
    var program = NewProgram(command)
    program.variables = variables
    program.input =
      wiring.input.map { .descriptor($0.rawValue) } ?? (wiring.isCompanion ? .inherited : .empty)
    program.output = .descriptor(wiring.output?.rawValue ?? STDERR_FILENO)
    if let errors = wiring.errors { program.errors = .descriptor(errors.rawValue) }
    program.folder = wiring.folder
    program.usualSignals = Signals.ignored
    let hasGroup = !wiring.isCompanion || !system.isTerminal(STDIN_FILENO)
    // Started first: there is no moment in which the child runs without it.
    var watcher = hasGroup ? ChildWatcher.start(of: .itsGroup, on: system) : nil
    if hasGroup { program.group = watcher?.id ?? 0 }
    let id: pid_t
    do throws(Errno) {
      id = try system.start(program)
    } catch {
      // As in a shell: 127 for not found, 126 for found but not executable.
      throw Failure(
        ExitStatus(rawValue: error == .noSuchFileOrDirectory ? 127 : 126),
        "\(command[0]): error: cannot be started: \(error)")
    }
    let group = hasGroup ? watcher?.id ?? id : nil
    if !hasGroup { watcher = ChildWatcher.start(of: .process(id), on: system) }
    if wiring.isCompanion { Signals.companion.store(group.map { -$0 } ?? id, ordering: .relaxed) }
    return ChildProcess(
      id: id, group: group, isCompanion: wiring.isCompanion, watcher: watcher, on: system)
  }

  private init(
    id: pid_t, group: pid_t?, isCompanion: Bool, watcher: consuming ChildWatcher?,
    on system: any SystemCalls
  ) {
    self.system = system
    self.id = id
    self.group = group
    self.isCompanion = isCompanion
    self.watcher = watcher
  }

  mutating func updateStatus() {
    guard status == nil else { return }
    if group == nil {
      // A process that has ended keeps its number until it is waited for. The watcher must not kill
      // that number afterwards.
      guard system.hasEnded(id) else { return }
      watcher?.dismiss()
    }
    guard let state = system.takeEnd(of: id) else { return }
    if isCompanion { Signals.companion.store(0, ordering: .relaxed) }
    let number = state & 0x7F
    if number != 0 { endingSignal = number }
    status = number == 0 ? ExitStatus(rawValue: state >> 8 & 0xFF) : .signal(number)
  }

  /// How often it is looked at while its end is waited for: often at first.
  private static let periods = Interval.milliseconds(1)...Interval.milliseconds(20)
  /// How long a process that was killed can take to end. One that the system holds up takes longer.
  private static let killTime = Interval.seconds(1)

  /// Waits until it has ended, until a deadline, or until `proceeds`, which is called now and then,
  /// returns false. Returns whether it has ended.
  ///
  /// - Parameters:
  ///   - deadline: nil for none.
  ///   - descriptors: what else is waited for, so that `proceeds` is called when it is readable.
  mutating func wait(
    until deadline: HostTime? = nil, or descriptors: () -> [CInt] = { [] },
    while proceeds: () -> Bool = { true }
  ) -> Bool {
    var period = Self.periods.lowerBound
    while true {
      updateStatus()
      if status != nil { return true }
      let left = deadline.map { $0 - system.now } ?? period
      guard left > .zero, proceeds() else { return false }
      let ready = system.wait(for: descriptors(), timeout: min(left, period))
      // Its end can follow that of its output at once.
      period =
        ready.isEmpty ? min(period + period, Self.periods.upperBound) : Self.periods.lowerBound
    }
  }

  /// How long a process can take to end after SIGTERM.
  static let grace = Interval.seconds(2)

  /// Ends it if it is still running: SIGTERM, and after some time SIGKILL, as `kill` does.
  /// `proceeds` is called now and then, and when one of the descriptors is readable.
  mutating func end(
    or descriptors: () -> [CInt] = { [] }, while proceeds: () -> Bool = { true }
  ) {
    updateStatus()
    send(SIGTERM)
    _ = wait(until: system.now + Self.grace, or: descriptors, while: proceeds)
    kill()
  }

  /// Kills it, if it is still running, and what is left of its process group. Its watcher ends too.
  mutating func kill() {
    // It can have left its group.
    if status == nil { system.signal(id, SIGKILL) }
    if let group {
      if watcher == nil { system.signal(-group, SIGKILL) }
      watcher = nil
    }
    group = nil
    guard !wait(until: system.now + Self.killTime) else { return }
    (status, endingSignal) = (.signal(SIGKILL), SIGKILL)
  }

  /// Sends a signal to it and to its group, if it has one.
  func send(_ number: CInt) {
    guard status == nil else { return }
    system.signal(group.map { -$0 } ?? id, number)
  }
}

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
