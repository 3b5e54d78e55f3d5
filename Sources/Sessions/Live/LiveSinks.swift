import Devices
import Judging
import Network
import Platform
import Sketches
import SystemPackage
import Traces

/// The receivers of a live session's events that decide nothing: the trace on standard output, the
/// recording, the view, watchers and dashboards.
final class LiveSinks {
  private let showsTrace: Bool
  private var trace: TraceOutput
  let header: Header
  /// The session's picture on the terminal; nil if there is none.
  let view: LiveView?
  private var recording: Recording?
  /// The recording of a session that runs permanently.
  private var rotating: RotatingRecording?
  /// The recording's error; nil if there is none. The session continues without it.
  private(set) var recordingFailure: Failure?
  private var lines: [UInt8] = []
  /// The network clients that watch the session.
  var watchers: Broadcaster?
  /// The session in memory; nil if it is not kept.
  private var kept: KeptTrace?
  /// What dashboards show; nil if there can be none.
  var dashboard: LiveDashboard?
  /// The last minutes, for dashboards that save them and for the cache; nil if neither needs them.
  private var recent: RecentTrace?
  /// How well a rig's turret follows the face; nil without a rig.
  private(set) var rig: RigTally?
  /// Whether bytes are passed on unchanged, as quickly as possible.
  private let isRaw: Bool
  /// Whether the pulses are only for a rig's servos, and not part of the trace.
  private let hidesPulses: Bool

  init(
    _ header: Header, showsTrace: Bool, view: LiveView?,
    recording: consuming Recording?, rotating: consuming RotatingRecording? = nil,
    isKept: Bool = false, keepsRecent: Bool = false,
    dashboard: LiveDashboard? = nil, isRaw: Bool = false, rig: LiveRigPlan? = nil,
    trace: TraceOutput = TraceOutput()
  ) {
    self.trace = trace
    self.header = header
    self.isRaw = isRaw
    self.rig = rig.map { _ in RigTally() }
    hidesPulses = rig?.hidesPulses == true
    self.dashboard = dashboard
    recent = dashboard == nil && !keepsRecent ? nil : RecentTrace(header)
    kept = isKept ? KeptTrace(header) : nil
    self.view = view
    self.showsTrace = showsTrace
    self.recording = recording
    self.rotating = rotating
    self.rotating?.begin(header)
    lines.appendLine(header)
  }

  /// Whether anything uses the events. In raw mode, the last minutes are kept without them.
  var areUsed: Bool {
    isWritten || kept != nil || view != nil || watchers?.isHeard == true
      || (recent != nil && !isRaw)
  }

  /// Whether the session is written anywhere.
  var isWritten: Bool { hasLines || rotating != nil }

  /// Whether trace lines are written anywhere.
  private var hasLines: Bool { showsTrace || recording != nil }

  /// Takes bytes from the board that have arrived by an instant and do not become events.
  func put(transmitted bytes: [UInt8], by instant: Instant) {
    recent?.put(transmitted: bytes, by: instant)
    dashboard?.take(transmitted: bytes, by: instant)
  }

  func put(_ event: Event) {
    view?.take(event)
    dashboard?.take(event)
    rig?.take(event)
    if hidesPulses, event.output?.kind == .pulse { return }
    recent?.put(event)
    if hasLines { lines.appendLine(event) }
    rotating?.put(event)
    kept?.put(event)
    watchers?.publish(event)
  }

  /// Rewinds to a moment. Events since then must not have left the bench.
  func goBack(to moment: LiveMoment<some RealTimeDevice>, at time: Instant) {
    dashboard?.goBack(to: moment, at: time)
    recent?.goBack(to: time)
  }

  /// Writes the events put so far. Later events come after `instant`. `isQuiet` is whether the line
  /// is empty and nothing waits on the board. Returns what to report.
  func flush(at instant: Instant, isQuiet: Bool) throws(Failure) -> [String] {
    var reports: [String] = []
    if let failure = try flush() {
      reports = [failure.message, "The recording ends here; the bench continues."]
    }
    if let news = rotating?.flush(at: instant, isQuiet: isQuiet) { reports.append(news) }
    return reports
  }

  /// Writes the events put so far, but not to a recording in parts. Returns a new error of the
  /// recording.
  func flush() throws(Failure) -> Failure? {
    guard !lines.isEmpty || trace.isBehind else { return nil }
    defer { lines.removeAll(keepingCapacity: true) }
    var failure: Failure?
    do throws(Failure) {
      try recording?.write(lines)
    } catch {
      failure = error
      recordingFailure = error
    }
    if showsTrace { try trace.write(lines) }
    return failure
  }

  /// The health of the recording in parts; nil if there is none.
  var recordingHealth: RecordingHealth? { rotating?.health }
  /// When to rotate a recording in parts even if nothing happens; nil if never.
  var nextRecordingTry: Instant? { rotating?.nextDeadline }

  /// Whether the reader of the trace is behind, so that writing must be tried again soon.
  var isBehind: Bool { trace.isBehind }

  /// Gives the recording of a command its name, or leaves it where it is if the command failed.
  /// Returns what to report; nil if there is nothing.
  func settleRecording(ofCommandThat failed: Bool) throws(Failure) -> String? {
    guard recording?.target != nil, let path = recording?.path else { return nil }
    guard failed else {
      try recording?.publish()
      return nil
    }
    return "The recording is in \(path), because the sender did not end by itself with status 0."
  }

  /// Returns the trace of a session that ended at `end`; nil if it was not kept.
  func trace(at end: Instant) -> [UInt8]? { kept?.text(endingAt: end) }

  /// The last minutes as a trace; nil if they are not kept.
  var recentTrace: RecentTrace? { recent }

  /// Ends the output after the session is over.
  func finish() throws(Failure) {
    _ = try flush()
    if recordingFailure == nil {
      do throws(Failure) {
        try recording?.finish()
      } catch {
        recordingFailure = error
      }
    }
    do throws(Failure) {
      try rotating?.finish()
    } catch {
      recordingFailure = error
    }
    try trace.finish()
  }
}

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

  private let system: any SystemCalls
  /// Whether the end of the session was requested.
  private let isEnding: @Sendable () -> Bool
  private var lines: [UInt8] = []
  /// The number of bytes of `lines` that are written.
  private var written = 0

  init(
    on system: any SystemCalls = HostSystem.shared,
    isEnding: @escaping @Sendable () -> Bool = { SignalQueue.isEnding }
  ) {
    self.system = system
    self.isEnding = isEnding
  }

  private var waiting: Int { lines.count - written }
  /// Whether lines are queued for the reader.
  var isBehind: Bool { waiting > 0 }

  /// Writes as much as the reader takes now.
  mutating func write(_ more: [UInt8]) throws(Failure) {
    lines += more
    try writeWhatFits()
    while waiting > Self.waitingMax, !isEnding() {
      try writeWhatFits(within: Self.pollMilliseconds)
    }
  }

  /// Writes the rest. After a request to end, a stalled reader does not delay the end for long.
  mutating func finish() throws(Failure) {
    var patience = Self.patienceMilliseconds
    while isBehind {
      let before = waiting
      try writeWhatFits(within: Self.pollMilliseconds)
      guard waiting == before, isEnding() else { continue }
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
    while isBehind, canWrite(within: milliseconds) {
      do throws(Errno) {
        let end = min(written + Self.chunk, lines.count)
        written += try system.write(STDOUT_FILENO, lines[written..<end])
      } catch {
        if error == .wouldBlock { return }
        throw Failure(writing: "standard output", error)
      }
    }
  }

  private func canWrite(within milliseconds: CInt) -> Bool {
    // An error is found by the next write.
    system.poll(STDOUT_FILENO, CInt(POLLOUT), within: milliseconds) != 0
  }
}
