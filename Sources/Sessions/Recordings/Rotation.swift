package import Sketches
import SystemPackage
import Traces

/// Decides how a session is recorded in parts: when a part is written to, when the next one begins,
/// and what to do when the disk is full or the file is missing. `RotatingRecording` carries the
/// decisions out; `RotationSchedule` keeps the times.
///
///     unbegun --first events--> recording
///     recording --large, and quiet or very large--> next part
///     recording --the file is moved or deleted--> next part
///     unbegun, recording --a write fails--> broken --30 s--> next part
///     next part --begun--> recording
///     next part --fails--> recording, in the same file; broken, if it was or the file was deleted;
///                          not tried again for 30 s
///
/// There is one action at a time. Unless it is a report, its outcome is the next event, at the same
/// instant. While the recording is broken, events are counted as lost.
struct Rotation: Hashable {
  enum Event: Hashable {
    /// The events put so far can be written. `length` is the size of the present part in bytes.
    /// `isQuiet` is whether the line is empty and nothing waits on the board, so that a new part
    /// splits no command.
    case flush(length: Int64, isQuiet: Bool)
    /// The session is over, and its last event has been put.
    case finish
    /// The action succeeded. `length` is the size of the present part in bytes.
    case done(length: Int64)
    /// The action failed.
    case failed(Errno)
    /// What has become of the present part's file.
    case found(RotatedFiles.Whereabouts)
  }

  enum Action: Hashable {
    /// Write the session's header and the events put so far, in the session's own times.
    case open
    /// Write the events put so far, in times since this instant.
    case write(since: Instant)
    /// Find out what has become of the present part's file.
    case look
    /// Begin a new part.
    case begin(RecordingPart)
    case report(RecordingNews)
  }

  /// Why a new part begins.
  private enum Cause: Hashable {
    /// The present one is large or must be replaced.
    case due
    case moved
    case deleted(events: Int)
  }

  /// The action whose outcome is the next event.
  private enum Step: Hashable {
    case none, opening, writing
    case looking(length: Int64)
    case beginning(Cause, origin: Instant)
  }

  private var schedule: RotationSchedule
  /// Whether it is a regular file, which can have several parts; a device or a FIFO is one part.
  private let isFile: Bool
  private var step = Step.none
  /// The board's speed in bits a second; nil if the session has not begun.
  private var baud: Int?
  /// The sender's speed in bits a second; nil if it is the board's.
  private var senderBaud: Int?
  private var senderFormat = LineFormat.standard
  /// What is applied to the board's pins, one for each.
  private var inputs: [BoardInput] = []
  private var isQuiet = false
  private var isFinishing = false
  /// Where the present part's times begin, in whole microseconds.
  private var origin = Instant.zero
  /// The last event's time.
  private var last = Instant.zero
  /// The number of events put and not yet written.
  private var waitingCount = 0
  private var eventsInPart = 0
  /// The number of events lost since the last part without loss.
  private var lostSincePart = 0
  /// The number of events lost.
  private(set) var lost = 0
  /// The number of this session's parts so far.
  private(set) var part = 0
  /// The present trouble; nil if there is none.
  private(set) var trouble: RecordingTrouble?

  init(_ policy: RotationPolicy, isFile: Bool) {
    schedule = RotationSchedule(policy, isFile: isFile)
    self.isFile = isFile
  }

  /// When to flush even if nothing happens; nil if never.
  var nextDeadline: Instant? { schedule.nextDeadline }

  /// Begins the session. `baud` is the board's speed.
  mutating func begin(baud: Int) { self.baud = baud }

  /// Counts an event that the next flush writes. Times never decrease.
  mutating func put(_ event: Traces.Event) {
    last = max(last, event.time)
    waitingCount += 1
    switch event.kind {
    case .baud(let baud): senderBaud = baud == self.baud ? nil : baud
    case .format(let format): senderFormat = format
    case .input(let input):
      inputs.removeAll { $0.target == input.target }
      inputs.append(input)
    default: break
    }
  }

  /// Takes an event. Later events are not before `instant`.
  mutating func handle(_ event: Event, at instant: Instant) -> Action? {
    let now = max(instant, last)
    switch event {
    case .flush(let length, let isQuiet):
      self.isQuiet = isQuiet
      return baud == nil ? nil : write(length: length, at: now)
    case .finish:
      isFinishing = true
      return baud == nil ? nil : write(length: 0, at: now)
    case .done(let length): return done(length: length, at: now)
    case .failed(let error): return failed(error, at: now)
    case .found(let whereabouts): return found(whereabouts, at: now)
    }
  }

  // MARK: What is next

  private mutating func write(length: Int64, at now: Instant) -> Action? {
    if schedule.isBroken {
      dropWaiting()
    } else if waitingCount > 0 {
      step = part == 0 ? .opening : .writing
      return part == 0 ? .open : .write(since: origin)
    } else if part == 0 {
      return nil
    }
    return look(length: length, at: now)
  }

  private mutating func look(length: Int64, at now: Instant) -> Action? {
    guard !isFinishing else { return nil }
    guard schedule.takeLook(at: now) else { return beginIfDue(length: length, at: now) }
    step = .looking(length: length)
    return .look
  }

  private mutating func beginIfDue(length: Int64, at now: Instant) -> Action? {
    let isDue = schedule.isDue(length: length, at: now, isQuiet: isQuiet)
    return isDue && (isFile || schedule.isBroken) ? begin(.due, at: now) : nil
  }

  private mutating func begin(_ cause: Cause, at now: Instant) -> Action {
    let start = Instant(nanoseconds: now.nanoseconds - now.nanoseconds % 1_000)
    step = .beginning(cause, origin: start)
    return .begin(
      RecordingPart(
        number: part + 1, origin: start, missing: lostSincePart, senderBaud: senderBaud,
        senderFormat: senderFormat, inputs: inputs,
        end: schedule.isBroken ? nil : .zero + (now - origin), isAstray: schedule.isAstray))
  }

  // MARK: Outcomes

  private mutating func done(length: Int64, at now: Instant) -> Action? {
    switch endStep() {
    case .none, .looking: return nil
    case .opening:
      part = 1
      schedule.began(at: now)
      countWritten()
      return nil
    case .writing:
      countWritten()
      return look(length: length, at: now)
    case .beginning(let cause, let start):
      let missing = lostSincePart
      (part, origin) = (part + 1, start)
      (eventsInPart, lostSincePart) = (0, 0)
      schedule.began(at: now)
      let wasWell = trouble == nil
      trouble = nil
      switch cause {
      case .deleted(let events): return .report(.replaced(events: events))
      case .due where wasWell: return nil
      case .moved where wasWell: return .report(.moved)
      case .due, .moved: return .report(.again(missing: missing))
      }
    }
  }

  private mutating func failed(_ error: Errno, at now: Instant) -> Action? {
    switch endStep() {
    case .none, .looking: return nil
    case .opening, .writing:
      dropWaiting()
      schedule.broke(at: now)
      return report(.unwritable(error))
    case .beginning(.deleted(let events), _):
      // Anything written now would be lost as well.
      schedule.broke(at: now)
      trouble = nil
      return report(.deleted(events: events, error))
    case .beginning(let cause, _):
      if schedule.isBroken {
        schedule.broke(at: now)
        return nil
      }
      schedule.failed(at: now)
      return report(.noNewPart(error)) ?? (cause == .moved ? .report(.moved) : nil)
    }
  }

  private mutating func found(
    _ whereabouts: RotatedFiles.Whereabouts, at now: Instant
  ) -> Action? {
    guard case .looking(let length) = endStep() else { return nil }
    switch whereabouts {
    case .present: return beginIfDue(length: length, at: now)
    case .moved:
      schedule.strayed()
      return begin(.moved, at: now)
    case .deleted:
      let events = eventsInPart
      lost += events
      lostSincePart += events
      eventsInPart = 0
      schedule.strayed()
      return begin(.deleted(events: events), at: now)
    }
  }

  // MARK: -

  private mutating func endStep() -> Step {
    defer { step = .none }
    return step
  }

  private mutating func countWritten() {
    eventsInPart += waitingCount
    waitingCount = 0
  }

  private mutating func dropWaiting() {
    lost += waitingCount
    lostSincePart += waitingCount
    waitingCount = 0
  }

  /// Reports trouble, but only the first of several failures in a row.
  private mutating func report(_ trouble: RecordingTrouble) -> Action? {
    defer { self.trouble = trouble }
    return self.trouble == nil ? .report(.trouble(trouble)) : nil
  }
}

/// When a new part of a recording is due.
///
///     writing --large, and quiet or very large--> new part
///     writing --a write fails--> broken --30 s--> new part
///     writing --the file is moved or deleted, checked every 0.5 s--> astray --> new part
///     new part fails: as before, and not tried again for 30 s
struct RotationSchedule: Hashable, Sendable {
  private let policy: RotationPolicy
  /// Whether it is a regular file, which can be moved and deleted.
  private let isFile: Bool
  /// Whether the present part cannot be written.
  private(set) var isBroken = false
  /// Whether the present part has been moved or deleted.
  private(set) var isAstray = false
  private var notBefore: Instant?
  private var nextLook: Instant?

  init(_ policy: RotationPolicy, isFile: Bool) {
    self.policy = policy
    self.isFile = isFile
  }

  /// When to flush even if nothing happens, to try again after a failure or to check that the file
  /// is still there; nil if never.
  var nextDeadline: Instant? { isBroken || isAstray ? notBefore : nextLook }

  /// Returns whether to check now that the file is still there. If so, the next check is a period
  /// later.
  mutating func takeLook(at instant: Instant) -> Bool {
    guard let nextLook, !isBroken, !isAstray, instant >= nextLook else { return false }
    self.nextLook = instant + policy.lookPeriod
    return true
  }

  /// Whether a new part is due. `length` is the size of the present one in bytes. `isQuiet` is
  /// whether the line is empty and nothing waits on the board, so that no command is split.
  func isDue(length: Int64, at instant: Instant, isQuiet: Bool) -> Bool {
    if let notBefore, instant < notBefore { return false }
    if isBroken || isAstray { return true }
    return length >= policy.bytesMax && (isQuiet || length / 2 >= policy.bytesMax)
  }

  /// Notes that the present part could not be written. It stays as it is.
  mutating func broke(at instant: Instant) {
    isBroken = true
    notBefore = instant + policy.retryPeriod
  }

  /// Notes that the present part has been moved or deleted.
  mutating func strayed() {
    isAstray = true
    notBefore = nil
  }

  /// Notes that a new part could not be created.
  mutating func failed(at instant: Instant) { notBefore = instant + policy.retryPeriod }

  /// Notes that a new part has begun.
  mutating func began(at instant: Instant) {
    isBroken = false
    isAstray = false
    notBefore = nil
    nextLook = isFile ? instant + policy.lookPeriod : nil
  }
}

/// The limits of a recording that runs for months.
package struct RotationPolicy: Hashable, Sendable {
  /// When a part reaches this size, a new one begins at the next quiet moment; at twice this size,
  /// at once.
  package var bytesMax: Int64
  /// The number of older parts to keep. The oldest is removed.
  package var keep: Int
  /// The time between attempts to write after a failure.
  var retryPeriod: Interval
  /// How often to check that the file is still there.
  var lookPeriod: Interval

  package init(
    bytesMax: Int64 = 64_000_000, keep: Int = 5, retryPeriod: Interval = .seconds(30),
    lookPeriod: Interval = .milliseconds(500)
  ) {
    self.bytesMax = bytesMax
    self.keep = keep
    self.retryPeriod = retryPeriod
    self.lookPeriod = lookPeriod
  }
}

/// A part after a session's first: how it begins, and how the part before it ends.
struct RecordingPart: Hashable {
  /// The part's number, from 1 for the first.
  var number: Int
  /// The session's instant at which the part's times begin, in whole microseconds.
  var origin: Instant
  /// The number of events lost since the last part without loss.
  var missing: Int
  /// The sender's speed in bits a second; nil if it is the board's.
  var senderBaud: Int?
  /// The sender's format.
  var senderFormat = LineFormat.standard
  /// What is applied to the board's pins when it begins.
  var inputs: [BoardInput] = []
  /// When the part before it ends, in that part's times; nil if it cannot be written.
  var end: Instant?
  /// Whether the file of the part before it has been moved or deleted.
  var isAstray: Bool
}

/// Why a recording in parts is incomplete or not divided.
enum RecordingTrouble: Hashable {
  /// The present part cannot be written.
  case unwritable(Errno)
  /// The present part continues, because a new one cannot be created.
  case noNewPart(Errno)
  /// The present part was deleted with this many events, and a new one cannot be created.
  case deleted(events: Int, Errno)

  var text: String {
    switch self {
    case .unwritable(let error): "cannot be written: \(error)"
    case .noNewPart(let error): "a new part cannot be started: \(Self.text(error))"
    case .deleted(let events, let error):
      "\(RecordingNews.deleted(events)), and a new part cannot be started: \(Self.text(error))"
    }
  }

  /// Returns the consequence. `retryTime` is the time between two attempts.
  func consequence(retryTime: String) -> String {
    switch self {
    case .unwritable, .deleted:
      "the session continues without being recorded, retrying every \(retryTime)"
    case .noNewPart:
      "recording continues in the same file, retrying a new part every \(retryTime)"
    }
  }

  private static func text(_ error: Errno) -> String {
    error == .wouldBlock ? "another bench is recording to this file" : "\(error)"
  }
}
