import Engine
import Network
import Platform
import Sketches
import SystemPackage
import Traces

/// A session recorded in parts, each a complete trace, for as long as the bench runs. Carries out
/// the decisions of `Rotation`.
///
/// Earlier content of the file is kept as an older part. If the disk is full, what was written is
/// kept, and a new part is tried from time to time. If the file is moved or deleted, a new part
/// replaces it. A device or a FIFO gets a single part.
///
/// A new file is readable only by its owner, because it contains what clients send.
struct RotatingRecording: ~Copyable {
  let path: String
  private let retryPeriod: Interval
  private let files: RotatedFiles?
  private var file: RecordingFile
  /// Whether the first part must be a new file, although the present one is empty: it is another
  /// user's, who could read it.
  private let beginsAnew: Bool
  private var rotation: Rotation
  /// The header of later parts; nil if the session has not begun.
  private var header: Header?
  /// Events that have not been written yet.
  private var pending: [Event] = []
  private var lines: [UInt8] = []

  /// Opens and locks the file. Its content stays until the session begins.
  init(_ path: String, _ policy: RotationPolicy = RotationPolicy()) throws(Failure) {
    let target = try Outputs.target(path, as: .trace)
    let file = try Recording.claim(target, path, Recording.privatePermissions)
    let files: RotatedFiles? = file.isRegular ? try Self.files(path, policy) : nil
    self.path = path
    self.files = files
    retryPeriod = policy.retryPeriod
    beginsAnew = Recording.replaced(target) != nil
    rotation = Rotation(policy, isFile: file.isRegular)
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
        .inputOutput, "\(path): error: earlier recordings cannot be kept next to it: \(error)")
    }
    if let other = files.foreign {
      throw Failure(
        .usage,
        "\(other): error: is not a trace, and is in the way of earlier recordings of \(path); "
          + "choose another name for the recording, or use --force")
    }
    return files
  }

  /// The present error; nil if there is none.
  var failure: Failure? {
    rotation.trouble.map { Failure(.inputOutput, "\(path): error: \($0.text)") }
  }

  /// The state that `/health` reports.
  var health: RecordingHealth {
    RecordingHealth(
      file: path, part: rotation.part, bytes: file.length, lostEvents: rotation.lost,
      failure: failure?.message)
  }

  /// When to flush even if nothing happens; nil if never.
  var nextDeadline: Instant? { rotation.nextDeadline }

  /// Begins the session. Its first part has this header.
  mutating func begin(_ header: Header) {
    self.header = header
    rotation.begin(baud: header.baud)
  }

  /// Takes an event. Times never decrease.
  mutating func put(_ event: Event) {
    pending.append(event)
    rotation.put(event)
  }

  /// Writes the events put so far, and begins a new part if one is due. Later events are not before
  /// `instant`. Returns what to report, in one line.
  mutating func flush(at instant: Instant, isQuiet: Bool) -> String? {
    carryOut(.flush(length: file.length, isQuiet: isQuiet), at: instant)
      .map { $0.text(path, retryPeriod: retryPeriod) }
  }

  /// Ends the recording, after the session's last event has been put.
  mutating func finish() throws(Failure) {
    _ = carryOut(.finish, at: .zero)
    if let failure { throw failure }
    do {
      try file.synchronize()
    } catch {
      throw Failure(writing: path, error)
    }
  }

  // MARK: -

  /// Passes an event to the rotation and carries out its decision. Returns what to report.
  private mutating func carryOut(_ event: Rotation.Event, at instant: Instant) -> RecordingNews? {
    // What is not written now is lost.
    defer { if header != nil { pending.removeAll(keepingCapacity: true) } }
    var event = event
    while let action = rotation.handle(event, at: instant) {
      if case .report(let news) = action { return news }
      event = outcome(of: action)
    }
    return nil
  }

  private mutating func outcome(of action: Rotation.Action) -> Rotation.Event {
    defer { lines.removeAll(keepingCapacity: true) }
    do throws(Errno) {
      switch action {
      case .open:
        if let header { lines.appendLine(header) }
        for event in pending { lines.appendLine(event) }
        try beginPart(isAstray: false, closing: [])
      case .write(let origin):
        for event in pending {
          lines.appendLine(Event(max(.zero, .zero + (event.time - origin)), event.kind))
        }
        try file.append(lines)
      case .look: return .found(files?.whereabouts(of: file.descriptor) ?? .present)
      case .begin(let part):
        appendOpening(of: part)
        var closing: [UInt8] = []
        if let end = part.end { closing.appendLine(Event(end, .mark("end"))) }
        try beginPart(isAstray: part.isAstray, closing: closing)
      case .report: break
      }
    } catch {
      return .failed(error)
    }
    return .done(length: file.length)
  }

  /// Appends the opening of a later part. It does not include what the board was doing.
  private mutating func appendOpening(of part: RecordingPart) {
    guard var header else { return }
    header.set(start: .unknown)
    header.set(recorded: WallTime.now.textInSeconds)
    lines.appendLine(header)
    var note = "part \(part.number) of a session, from its \(String(canonical: part.origin)) s on"
    if part.missing > 0 { note += "; before it \(RecordingNews.missing(part.missing))" }
    if let baud = part.senderBaud { lines.appendLine(Event(.zero, .baud(baud))) }
    if part.senderFormat != .standard {
      lines.appendLine(Event(.zero, .format(part.senderFormat)))
    }
    for input in part.inputs { lines.appendLine(Event(.zero, .input(input))) }
    lines.appendLine(Event(.zero, .mark(note)))
  }

  /// Begins a part with the lines. It is a new file in place of the present one, unless that is
  /// empty. `closing` is the end of the part before it.
  private mutating func beginPart(isAstray: Bool, closing: [UInt8]) throws(Errno) {
    let isFirst = rotation.part == 0
    guard let files, file.length > 0 || isAstray || isFirst && beginsAnew else {
      return try file.append(lines)
    }
    // Another bench may have started recording there meanwhile.
    if isAstray, files.isClaimed { throw .wouldBlock }
    files.removeLeftover()
    var next = try RecordingFile(
      creating: files.next, permissions: Recording.privatePermissions)
    do throws(Errno) {
      // Lets the same users read both.
      if let status = try? file.descriptor.stat() {
        _ = fchmod(next.descriptor.rawValue, status.permissions.rawValue)
      }
      try next.append(lines)
      try files.rotate()
    } catch {
      unlink(files.next)
      throw error
    }
    // The part is a complete trace even without its end.
    try? file.append(closing)
    file = next
  }
}

/// A report about a recording in parts.
enum RecordingNews: Hashable {
  case trouble(RecordingTrouble)
  /// The recording works again. This many events are missing from it.
  case again(missing: Int)
  /// The file was moved, and a new part has begun.
  case moved
  /// The file was deleted with this many events, and a new part has begun.
  case replaced(events: Int)

  /// Returns the report in one line. `retryPeriod` is the time between two attempts.
  func text(_ path: String, retryPeriod: Interval) -> String {
    switch self {
    case .trouble(let trouble):
      let consequence = trouble.consequence(retryTime: "\(String(shortest: retryPeriod)) s")
      return "\(path): error: \(trouble.text); \(consequence)"
    case .again(let missing):
      return "\(path): recording again" + (missing > 0 ? "; \(Self.missing(missing))" : "")
    case .moved: return "\(path): the recording was moved; a new part was started"
    case .replaced(let events): return "\(path): \(Self.deleted(events)); a new part was started"
    }
  }

  static func deleted(_ count: Int) -> String {
    "the recording was deleted, and \(events(count)) with it"
  }

  static func missing(_ count: Int) -> String {
    "\(events(count)) \(count == 1 ? "is" : "are") missing"
  }

  private static func events(_ count: Int) -> String { String(counting: count, "event") }
}
