import Gateway
import Platform
import SystemPackage
import Traces
import Turret

/// A session written down in parts, each a trace by itself, for as long as the bench runs.
///
/// What is in the file from before is kept as an older part. Where the disk is full, what is there
/// stays, and a new part is tried for now and then. Where somebody has moved or deleted the file, a
/// new part takes its place. A device or a FIFO is written as it is, in one part.
///
/// A new file is readable by its owner only, as it contains what clients send.
struct RotatingRecording: ~Copyable {
  private static let permissions = FilePermissions(rawValue: 0o600)

  let path: String
  private let files: RotatedFiles?
  private var file: RecordingFile
  private var schedule: RotationSchedule
  private let retryPeriod: Interval
  /// What later parts begin with; nil: the session has not begun.
  private var header: Header?
  /// Parts of this session so far.
  private var part = 0
  /// Where the present part's times begin, in whole microseconds.
  private var origin = Instant.zero
  /// The last event's time.
  private var last = Instant.zero
  /// The sender's speed where it is not the board's, bits a second.
  private var senderBaud: Int?
  /// What has not been written yet.
  private var pending: [Event] = []
  private var lines: [UInt8] = []
  /// Events in the present part.
  private var eventsInPart = 0
  /// Events that could not be written or were deleted, since the last part that has all and in all.
  private var lostSincePart = 0
  private var lost = 0
  /// Why not all is well; nil: all is.
  private(set) var failure: Failure?

  /// Opens the file and claims it. What is in it stays where it is until the session begins.
  init(_ path: String, _ policy: RotationPolicy = RotationPolicy()) throws(Failure) {
    self.path = path
    retryPeriod = policy.retryPeriod
    let file = try Recording.claim(path, permissions: Self.permissions)
    files = file.isRegular ? try Self.files(path, policy) : nil
    schedule = RotationSchedule(policy, isFile: file.isRegular)
    self.file = file
  }

  private static func files(_ path: String, _ policy: RotationPolicy) throws(Failure)
    -> RotatedFiles
  {
    let files = RotatedFiles(path, keep: policy.keep)
    do {
      try files.check()
    } catch {
      throw Failure(
        .inputOutput, "\(path): error: nothing can be kept beside it: \(error)")
    }
    return files
  }

  /// For `/health`.
  var health: RecordingHealth {
    RecordingHealth(
      file: path, part: part, bytes: file.length, lostEvents: lost, failure: failure?.message)
  }

  /// When to flush even if nothing happens; nil: never.
  var nextDeadline: Instant? { schedule.nextDeadline }

  /// The session begins. Its first part has this header.
  mutating func begin(_ header: Header) { self.header = header }

  /// Something has happened. Times never go back.
  mutating func put(_ event: Event) {
    last = max(last, event.time)
    pending.append(event)
    if case .baud(let baud) = event.kind { senderBaud = baud == header?.baud ? nil : baud }
  }

  /// Writes what has been put, and begins a new part where one is due. `instant`: what comes later
  /// is later than this. Returns what people should be told, one line.
  mutating func flush(at instant: Instant, isQuiet: Bool) -> String? {
    guard header != nil else { return nil }
    let now = max(instant, last)
    if part == 0, !schedule.isBroken { return beginSession(at: now) }
    if let news = writePending(at: now) { return news }
    if let files, schedule.takeLook(at: now) {
      switch files.whereabouts(of: file.descriptor) {
      case .present: break
      case .moved:
        schedule.strayed()
        return rotate(at: now) ?? "\(path): the recording was moved; a new part is begun"
      case .deleted: return replaceDeleted(at: now)
      }
    }
    guard schedule.isDue(length: file.length, at: now, isQuiet: isQuiet),
      files != nil || schedule.isBroken
    else { return nil }
    return rotate(at: now)
  }

  /// The contents of the present part are lost.
  private mutating func replaceDeleted(at now: Instant) -> String? {
    let what = "the recording was deleted, and \(Self.events(eventsInPart)) with it"
    lost += eventsInPart
    lostSincePart += eventsInPart
    eventsInPart = 0
    schedule.strayed()
    do throws(Errno) {
      try beginNext(at: now)
      failure = nil
      return "\(path): \(what); a new part is begun"
    } catch {
      // Anything written now would be lost as well.
      schedule.broke(at: now)
      let failure = Failure(
        .inputOutput, "\(path): error: \(what), and a new part cannot be begun: \(Self.text(error))"
      )
      self.failure = failure
      return "\(failure.message); \(unrecorded)"
    }
  }

  /// The session is over, and its last event has been put.
  mutating func finish() throws(Failure) {
    if header != nil, part == 0, !schedule.isBroken { _ = beginSession(at: last) }
    _ = writePending(at: last)
    if let failure { throw failure }
    do {
      try file.synchronize()
    } catch {
      throw Failure(writing: path, error)
    }
  }

  // MARK: -

  /// The first part has the session's own header and times.
  private mutating func beginSession(at now: Instant) -> String? {
    guard let header, !pending.isEmpty else { return nil }
    lines.appendLine(header)
    for event in pending { lines.appendLine(event) }
    defer { lines.removeAll(keepingCapacity: true) }
    do throws(Errno) {
      try beginPart(closing: [])
    } catch {
      return broke(error, at: now)
    }
    eventsInPart = pending.count
    pending.removeAll(keepingCapacity: true)
    part = 1
    schedule.began(at: now)
    return nil
  }

  private mutating func writePending(at now: Instant) -> String? {
    guard !pending.isEmpty else { return nil }
    guard !schedule.isBroken else {
      dropPending()
      return nil
    }
    appendPending()
    defer { lines.removeAll(keepingCapacity: true) }
    do throws(Errno) {
      try file.append(lines)
    } catch {
      return broke(error, at: now)
    }
    eventsInPart += pending.count
    pending.removeAll(keepingCapacity: true)
    return nil
  }

  private mutating func appendPending() {
    for event in pending {
      lines.appendLine(Event(max(.zero, .zero + (event.time - origin)), event.kind))
    }
  }

  private mutating func dropPending() {
    lost += pending.count
    lostSincePart += pending.count
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func broke(_ error: Errno, at now: Instant) -> String? {
    dropPending()
    schedule.broke(at: now)
    return tell(
      Failure(.inputOutput, "\(path): error: cannot be written: \(error)"), unrecorded)
  }

  /// Only the first of a row of failures is news.
  private mutating func tell(_ failure: Failure, _ consequence: String) -> String? {
    defer { self.failure = failure }
    return self.failure == nil ? "\(failure.message); \(consequence)" : nil
  }

  private var retryText: String { "\(String(shortest: retryPeriod)) s" }
  private var unrecorded: String {
    "the session goes on without being recorded, and that is tried again every \(retryText)"
  }

  private static func events(_ count: Int) -> String { "\(count) event\(count == 1 ? "" : "s")" }

  private static func missing(_ count: Int) -> String {
    "\(events(count)) \(count == 1 ? "is" : "are") missing"
  }

  private static func text(_ error: Errno) -> String {
    error == .wouldBlock ? "another bench is recording to this file" : "\(error)"
  }

  /// Begins a new part whose 0 is `now`.
  private mutating func rotate(at now: Instant) -> String? {
    let missing = lostSincePart
    do throws(Errno) {
      try beginNext(at: now)
    } catch {
      if schedule.isBroken {
        schedule.broke(at: now)
        return nil
      }
      schedule.failed(at: now)
      return tell(
        Failure(
          .inputOutput, "\(path): error: a new part cannot be begun: \(Self.text(error))"),
        "the recording goes on in the same file, and a new one is tried every \(retryText)")
    }
    guard failure != nil else { return nil }
    failure = nil
    return "\(path): recording again" + (missing > 0 ? "; \(Self.missing(missing))" : "")
  }

  private mutating func beginNext(at now: Instant) throws(Errno) {
    let split = Instant(nanoseconds: now.nanoseconds - now.nanoseconds % 1_000)
    var closing: [UInt8] = []
    closing.appendLine(Event(.zero + (now - origin), .mark("end")))
    appendOpening(from: split)
    defer { lines.removeAll(keepingCapacity: true) }
    try beginPart(closing: schedule.isBroken ? [] : closing)
    lostSincePart = 0
    eventsInPart = 0
    origin = split
    part += 1
    schedule.began(at: now)
  }

  /// What a later part begins with: nobody knows from it what the board was doing.
  private mutating func appendOpening(from split: Instant) {
    guard var header else { return }
    header.set(start: .unknown)
    header.set(recorded: Wall.now)
    lines.appendLine(header)
    var note = "part \(part + 1) of a session, from its \(String(canonical: split)) s on"
    if lostSincePart > 0 { note += "; before it \(Self.missing(lostSincePart))" }
    if let senderBaud { lines.appendLine(Event(.zero, .baud(senderBaud))) }
    lines.appendLine(Event(.zero, .mark(note)))
  }

  /// Begins a part with the lines: in a new file in the present one's place, where something is in
  /// that. `closing` is what the part before it ends with.
  private mutating func beginPart(closing: [UInt8]) throws(Errno) {
    guard let files, file.length > 0 || schedule.isAstray else { return try file.append(lines) }
    // Another bench could have begun to record there meanwhile.
    if schedule.isAstray, files.isClaimed { throw .wouldBlock }
    var next = try RecordingFile(
      claiming: files.next, options: [.truncate, .noFollow], permissions: Self.permissions)
    do throws(Errno) {
      // Whoever may read the one may read the other.
      if let status = try? file.descriptor.stat() {
        _ = fchmod(next.descriptor.rawValue, status.permissions.rawValue)
      }
      try next.append(lines)
      try files.rotate()
    } catch {
      unlink(files.next)
      throw error
    }
    // Without it the part is whole all the same.
    try? file.append(closing)
    file = next
  }
}
