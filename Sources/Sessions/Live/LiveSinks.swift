import Devices
import Gateway
import Traces
import Turret
import Verification

/// Where a live session's events go: the trace on standard output, the recording, the judge, the
/// sender.
final class LiveSinks {
  private let showsTrace: Bool
  private var trace = TraceOutput()
  private let view: LiveView?
  private var recording: Recording?
  /// Where a session that is never over is written down.
  private var rotating: RotatingRecording?
  /// What went wrong with the recording. The session goes on without it.
  private(set) var recordingFailure: Failure?
  private var lines: [UInt8] = []
  /// Bytes from the board that are on their way to the sender.
  var toSender: TransmitDelay
  /// Compares the session with a trace; nil: nobody asked.
  private(set) var judge: LiveJudge?
  private(set) var counts = LiveCounts()
  /// Who watches over the network.
  var watchers: Broadcaster?

  init(
    _ header: Header, showsTrace: Bool, view: LiveView?,
    recording: consuming Recording?, rotating: consuming RotatingRecording? = nil,
    judge: LiveJudge?
  ) {
    self.view = view
    self.judge = judge
    self.showsTrace = showsTrace
    self.recording = recording
    self.rotating = rotating
    self.rotating?.begin(header)
    toSender = TransmitDelay(baud: header.baud)
    lines.appendLine(header)
  }

  /// Whether anybody has use for what is put, beyond counting it.
  var isHeard: Bool {
    isWritten || view != nil || judge != nil || watchers?.isHeard == true
  }

  /// Whether the session is written down.
  var isWritten: Bool { hasLines || rotating != nil }

  /// Whether lines are written anywhere.
  private var hasLines: Bool { showsTrace || recording != nil }

  /// Bytes from the board that are not put.
  func addTransmitted(_ count: Int) { counts.addTransmitted(count) }

  func put(_ event: Event) {
    view?.take(event)
    if hasLines { lines.appendLine(event) }
    rotating?.put(event)
    counts.add(event)
    watchers?.publish(event)
    judge?.take(event)
    if case .output(.transmit(let byte)) = event.kind { toSender.put(byte, at: event.time) }
  }

  /// Time went back to a moment. Nobody may have been told what happened since.
  func goBack(to moment: LiveMoment<some RealTimeDevice>) {
    counts = moment.counts
    toSender = moment.toSender
  }

  /// Writes what has been put. Returns what has just gone wrong with the recording.
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

  /// Writes what has been put to the recording in parts, where there is one. What comes later is
  /// later than `instant`; `isQuiet`: nothing is on the line, or waits on the board. Returns what
  /// people should be told.
  func rotate(at instant: Instant, isQuiet: Bool) -> String? {
    rotating?.flush(at: instant, isQuiet: isQuiet)
  }

  /// How the recording in parts is; nil: there is none.
  var recordingHealth: RecordingHealth? { rotating?.health }
  /// When to rotate a recording in parts even if nothing happens; nil: never.
  var nextRecordingTry: Instant? { rotating?.nextDeadline }

  /// Whether the reader of the trace is behind: to be tried again soon.
  var isBehind: Bool { trace.isBehind }

  /// What the judge says of a session that ended at `end`.
  func verdict(at end: Instant) -> Verdict? { judge?.finish(at: end) }

  /// The session is over.
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
