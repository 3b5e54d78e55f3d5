import Engine
import Network
import Platform
import Sketches
import SystemPackage
import Traces

/// The limits of a recording that runs for months.
package struct RotationPolicy: Hashable, Sendable {
  /// When a part reaches this size, a new one begins at the next quiet moment; at twice this size,
  /// at once.
  package var bytesMax: Int64 = 64_000_000
  /// The number of older parts to keep. The oldest is removed.
  package var keep = 5
}

extension RotationPolicy {
  package static var standard: RotationPolicy { RotationPolicy() }
}

/// A session recorded in parts, each a complete trace, for as long as the bench runs.
///
///     writing --large, and quiet or very large--> next part
///     writing --the file is moved or deleted--> next part
///     writing --a write fails--> broken --30 s--> next part
///     next part fails: as before, or broken if the file was deleted; tried again after 30 s
///
/// Earlier content of the file is kept as an older part. While the recording is broken, what was
/// written is kept, and events are counted as lost. A device or a FIFO gets a single part.
///
/// A new file is readable only by its owner, because it contains what clients send.
struct RotatingRecording: ~Copyable {
  /// The time between attempts to write after a failure.
  private static let retryPeriod = Interval.seconds(30)
  /// How often to check that the file is still there.
  private static let lookPeriod = Interval.milliseconds(500)

  let path: String
  private let policy: RotationPolicy
  /// Nil for a device or a FIFO.
  private let files: RotatedFiles?
  private var file: RecordingFile
  /// Whether the first part must be a new file, although the present one is empty: it is another
  /// user's, who could read it.
  private let beginsAnew: Bool
  /// The header of later parts; nil if the session has not begun.
  private var header: Header?
  /// Events that have not been written yet.
  private var pending: [Event] = []
  /// What a later part begins with: the sender's speed and format, unless they are the usual ones,
  /// and what is applied to the board's pins, one for each.
  private var senderBaud: Int?
  private var senderFormat = LineFormat.standard
  private var inputs: [BoardInput] = []

  /// The number of this session's parts so far.
  private var part = 0
  /// Where the present part's times begin, in whole microseconds.
  private var origin = Instant.zero
  /// The last event's time.
  private var last = Instant.zero
  private var eventsInPart = 0
  /// The number of events lost: since the last part without loss, and at all.
  private var (lostSincePart, lost) = (0, 0)

  /// Whether the present part cannot be written.
  private var isBroken = false
  /// How the present part's file was moved or deleted; nil if it is there.
  private var gone: String?
  /// When a new part may be tried after a failure; nil for at any time.
  private var notBefore: Instant?
  /// When to check that the file is still there; nil for never.
  private var nextLook: Instant?
  /// The present trouble; nil if there is none.
  private var trouble: String?
  private var news: String?

  /// Opens and locks the file. Its content stays until the session begins.
  init(_ path: String, _ policy: RotationPolicy = RotationPolicy()) throws(Failure) {
    let target = try Outputs.claim(path, as: .trace)
    let file = try Recording.claim(target, path, Recording.privatePermissions)
    var files: RotatedFiles?
    if case .file(let name, _) = target { files = RotatedFiles(current: name, keep: policy.keep) }
    try files?.check(calledBy: path)
    self.path = path
    self.policy = policy
    self.files = files
    beginsAnew = Recording.replaced(target) != nil
    self.file = file
  }

  /// The present error; nil if there is none.
  var failure: Failure? {
    trouble.map { Failure(.inputOutput, "\(path): error: \($0)") }
  }

  /// The state that `/health` reports.
  var health: RecordingHealth {
    RecordingHealth(
      file: path, part: part, bytes: file.length, lostEvents: lost, failure: failure?.message)
  }

  /// When to flush even if nothing happens, to try again after a failure or to check that the file
  /// is still there; nil if never.
  var nextDeadline: Instant? { isBroken || gone != nil ? notBefore : nextLook }

  /// Begins the session. Its first part has this header.
  mutating func begin(_ header: Header) { self.header = header }

  /// Takes an event. Times never decrease.
  mutating func put(_ event: Event) {
    pending.append(event)
    last = max(last, event.time)
    switch event.kind {
    case .baud(let baud): senderBaud = baud == header?.baud ? nil : baud
    case .format(let format): senderFormat = format
    case .input(let input):
      inputs.removeAll { $0.target == input.target }
      inputs.append(input)
    default: break
    }
  }

  /// Writes the events put so far, and begins a new part if one is due. Later events are not before
  /// `instant`. Returns what to report, in one line.
  mutating func flush(at instant: Instant, isQuiet: Bool) -> String? {
    let now = max(instant, last)
    if write(at: now) { care(at: now, isQuiet: isQuiet) }
    return news.take()
  }

  /// Ends the recording, after the session's last event has been put.
  mutating func finish() throws(Failure) {
    _ = write(at: last)
    if let failure { throw failure }
    do {
      try file.synchronize()
    } catch {
      throw Failure(writing: path, error)
    }
  }

  // MARK: -

  /// Writes the events put so far. Returns whether a new part may be begun.
  private mutating func write(at now: Instant) -> Bool {
    guard let header else { return false }
    defer { pending.removeAll(keepingCapacity: true) }
    if isBroken {
      lose(pending.count)
      return true
    }
    guard !pending.isEmpty else { return part > 0 }
    var lines: [UInt8] = []
    if part == 0 { lines.appendLine(header) }
    for event in pending {
      lines.appendLine(Event(max(.zero, .zero + (event.time - origin)), event.kind))
    }
    do throws(Errno) {
      if part == 0 {
        try beginPart(lines, closing: [])
        began(at: now)
      } else {
        try file.append(lines)
      }
      eventsInPart += pending.count
      return true
    } catch {
      lose(pending.count)
      (isBroken, notBefore) = (true, now + Self.retryPeriod)
      report("cannot be written: \(error)")
      return false
    }
  }

  private mutating func lose(_ count: Int) {
    lost += count
    lostSincePart += count
  }

  /// Begins a new part if the present one is large, cannot be written or is no longer there.
  private mutating func care(at now: Instant, isQuiet: Bool) {
    if let files, let nextLook, !isBroken, gone == nil, now >= nextLook {
      self.nextLook = now + Self.lookPeriod
      look(files.whereabouts(of: file.descriptor))
    }
    if let notBefore, now < notBefore { return }
    let isLarge =
      files != nil && file.length >= policy.bytesMax
      && (isQuiet || file.length / 2 >= policy.bytesMax)
    guard isBroken || gone != nil || isLarge else { return }
    let start = Instant(nanoseconds: now.nanoseconds - now.nanoseconds % 1_000)
    do throws(Errno) {
      var closing: [UInt8] = []
      if !isBroken { closing.appendLine(Event(.zero + (now - origin), .mark("end"))) }
      try beginPart(opening(at: start), closing: closing)
    } catch {
      return failed(error, at: now)
    }
    if trouble != nil {
      let loss = lostSincePart > 0 ? "; \(Self.missing(lostSincePart))" : ""
      news = "\(path): recording again\(loss)"
    } else if let gone {
      news = "\(path): \(gone); a new part was started"
    }
    began(at: now)
    (origin, eventsInPart, lostSincePart, trouble) = (start, 0, 0, nil)
  }

  private mutating func look(_ whereabouts: RotatedFiles.Whereabouts) {
    switch whereabouts {
    case .present: return
    case .moved: gone = "the recording was moved"
    case .deleted:
      gone = "the recording was deleted, and \(String(counting: eventsInPart, "event")) with it"
      lose(eventsInPart)
      // Anything written now would be lost as well.
      (eventsInPart, isBroken, trouble) = (0, true, nil)
    }
    notBefore = nil
  }

  /// A new part could not be begun.
  private mutating func failed(_ error: Errno, at now: Instant) {
    let cause = error == .wouldBlock ? "another bench is recording to this file" : "\(error)"
    let before = isBroken ? gone.map { "\($0), and " } ?? "" : ""
    notBefore = now + Self.retryPeriod
    report("\(before)a new part cannot be started: \(cause)")
  }

  private mutating func began(at now: Instant) {
    part += 1
    (isBroken, gone, notBefore) = (false, nil, nil)
    nextLook = files == nil ? nil : now + Self.lookPeriod
  }

  /// Reports trouble, but only the first of several failures in a row.
  private mutating func report(_ trouble: String) {
    defer { self.trouble = trouble }
    guard self.trouble == nil else { return }
    let consequence =
      isBroken
      ? "the session continues without being recorded, retrying"
      : "recording continues in the same file, retrying a new part"
    news =
      "\(path): error: \(trouble); \(consequence) every "
      + "\(String(shortest: Self.retryPeriod)) s"
  }

  /// Returns the opening of a later part. It does not include what the board was doing.
  private func opening(at start: Instant) -> [UInt8] {
    guard var header else { return [] }
    header.set(start: .unknown)
    header.set(recorded: WallTime.now.textInSeconds)
    var lines: [UInt8] = []
    lines.appendLine(header)
    var note = "part \(part + 1) of a session, from its \(String(canonical: start)) s on"
    if lostSincePart > 0 { note += "; before it \(Self.missing(lostSincePart))" }
    if let senderBaud { lines.appendLine(Event(.zero, .baud(senderBaud))) }
    if senderFormat != .standard { lines.appendLine(Event(.zero, .format(senderFormat))) }
    for input in inputs { lines.appendLine(Event(.zero, .input(input))) }
    lines.appendLine(Event(.zero, .mark(note)))
    return lines
  }

  /// Begins a part with the lines. It is a new file in place of the present one, unless that is
  /// empty. `closing` is the end of the part before it.
  private mutating func beginPart(_ lines: [UInt8], closing: [UInt8]) throws(Errno) {
    guard let files, file.length > 0 || gone != nil || part == 0 && beginsAnew else {
      return try file.append(lines)
    }
    // Another bench may have started recording there meanwhile.
    if gone != nil, files.isClaimed { throw .wouldBlock }
    let draft = NewFile.name(besides: files.current)
    var next = try RecordingFile(creating: draft, permissions: Recording.privatePermissions)
    do throws(Errno) {
      // Lets the same users read both.
      if let status = try? file.descriptor.stat() {
        _ = fchmod(next.descriptor.rawValue, status.permissions.rawValue)
      }
      try next.append(lines)
      try files.rotate(to: draft)
    } catch {
      unlink(draft)
      throw error
    }
    // The part is a complete trace even without its end.
    try? file.append(closing)
    file = next
  }

  private static func missing(_ count: Int) -> String {
    "\(String(counting: count, "event")) \(count == 1 ? "is" : "are") missing"
  }
}
