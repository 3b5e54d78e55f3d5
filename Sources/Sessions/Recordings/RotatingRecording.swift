import Engine
import Network
import Platform
import Sketches
import SystemPackage
import Traces

/// The limits of a recording that runs for months.
package struct RotationPolicy: Hashable, Sendable {
  package static let standard = RotationPolicy()

  /// When a part reaches this size, a new one begins at the next quiet moment; at twice this size,
  /// at once.
  package var bytesMax: Int64 = 64_000_000
  /// The number of older parts to keep. The oldest is removed.
  package var keep = 5
}

/// The files of a recording in parts: `session.jsonl` is the present one, `session.1.jsonl` the one
/// before it, and so on.
struct RotatedFiles: Hashable {
  /// The path of the present part, after all links, so that they still lead to it after a rotation.
  let current: String
  let keep: Int

  /// Returns the name of the `number`-th part before the present one, from 1.
  func old(_ number: Int) -> String {
    let path = FilePath(current)
    let ending = path.extension.map { ".\($0)" } ?? ""
    return path.removingLastComponent().appending("\(path.stem ?? "").\(number)\(ending)").string
  }

  /// Throws if a rotation would fail, or would rename over or remove a file that is not a part of a
  /// recording.
  func check(calledBy path: String) throws(Failure) {
    let folder = FilePath(current).removingLastComponent().string
    // If there is no file yet, creating it shows whether the folder can be written to.
    if access(current, F_OK) == 0, access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 {
      throw Failure(
        .inputOutput,
        "\(path): error: earlier recordings cannot be kept next to it: \(Errno(rawValue: errno))")
    }
    for number in 1..<keep + 1 where !Outputs.isReplaceable(old(number)) {
      throw Failure(
        .usage,
        "\(old(number)): error: is not a trace, and is in the way of earlier recordings of "
          + "\(path); choose another name for the recording, or use --force")
    }
  }

  /// Makes the file `next` the present part, and the present one the newest of the old ones, each
  /// of which is renamed to the next number. The oldest is removed.
  func rotate(to next: String) throws(Errno) {
    if keep > 0, access(current, F_OK) == 0 {
      let free = (1...keep).first { access(old($0), F_OK) != 0 } ?? keep
      // Something else can have been put there since the start.
      guard Outputs.isReplaceable(old(free)) else { throw .fileExists }
      for number in stride(from: free, to: 1, by: -1) { try move(old(number - 1), old(number)) }
      unlink(old(1))
      // There is a present part at any moment, if the file system has links.
      if link(current, old(1)) != 0 { try move(current, old(1)) }
    }
    guard keep > 0 || Outputs.isReplaceable(current) else { throw .fileExists }
    do throws(Errno) {
      try move(next, current)
    } catch {
      // Otherwise each attempt would move the older parts on.
      if keep > 0, access(current, F_OK) == 0 { unlink(old(1)) }
      throw error
    }
    // An earlier session can have kept more. Nobody has named them, so even with --force only
    // traces are removed.
    var number = keep + 1
    while Outputs.content(ofFile: old(number)) == .trace, Outputs.isReplaceable(old(number)),
      unlink(old(number)) == 0
    {
      number += 1
    }
  }

  private func move(_ from: String, _ to: String) throws(Errno) {
    if rename(from, to) != 0 { throw Errno(rawValue: errno) }
  }
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
  /// The time between attempts to write after a failure, and between looks whether the file is
  /// still there.
  private static let retryPeriod = Interval.seconds(30)
  private static let lookPeriod = Interval.milliseconds(500)

  let path: String
  private let policy: RotationPolicy
  /// Nil for a device or a FIFO.
  private let files: RotatedFiles?
  private var file: RecordingFile
  /// Whether the first part must be a new file, even if the present one is empty: its owner could
  /// read it.
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

  /// The number of this session's parts so far, and of the events in the present one.
  private var (part, eventsInPart) = (0, 0)
  /// The number of events lost: since the last part without loss, and at all.
  private var (lostSincePart, lost) = (0, 0)
  /// Where the present part's times begin, in whole microseconds, and the last event's time.
  private var (origin, last) = (Instant.zero, Instant.zero)
  /// Whether the present part cannot be written.
  private var isBroken = false
  /// How the present part's file was moved or deleted, and the present trouble; nil if all is well.
  private var (gone, trouble): (String?, String?)
  /// When to flush even if nothing happens: to check that the file is still there or, in trouble,
  /// to try a new part. Nil if never.
  private(set) var nextDeadline: Instant?

  /// Opens and locks the file. Its content stays until the session begins.
  init(_ path: String, _ policy: RotationPolicy = .standard) throws(Failure) {
    let target = try Outputs.claim(path, as: .trace)
    var files: RotatedFiles?
    if case .file(let name, _) = target { files = RotatedFiles(current: name, keep: policy.keep) }
    try files?.check(calledBy: path)
    file = try RecordingFile.open(target, calledBy: path, Recording.privatePermissions)
    self.path = path
    self.policy = policy
    self.files = files
    beginsAnew = target.replaced != nil
  }

  var failure: Failure? {
    trouble.map { Failure(.inputOutput, "\(path): error: \($0)") }
  }

  /// The state that `/health` reports.
  var health: RecordingHealth {
    RecordingHealth(
      file: path, part: part, bytes: file.length, lostEvents: lost, failure: failure?.message)
  }

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
    let news = write(at: now)
    return part > 0 || isBroken ? news ?? rotate(at: now, isQuiet: isQuiet) : news
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

  /// Writes the events put so far. Returns what to report.
  private mutating func write(at now: Instant) -> String? {
    guard let header, !pending.isEmpty else { return nil }
    defer { pending.removeAll(keepingCapacity: true) }
    guard !isBroken else {
      lose(pending.count)
      return nil
    }
    var lines: [UInt8] = []
    if part == 0 { lines.appendLine(header) }
    for event in pending {
      lines.appendLine(Event(max(.zero, .zero + (event.time - origin)), event.kind))
    }
    do throws(Errno) {
      if part == 0 {
        try beginPart(lines, at: now)
      } else {
        try file.append(lines)
      }
      eventsInPart += pending.count
      return nil
    } catch {
      lose(pending.count)
      isBroken = true
      return report("cannot be written: \(error)", at: now)
    }
  }

  private mutating func lose(_ count: Int) {
    lost += count
    lostSincePart += count
  }

  /// Begins a new part if the present one is large, cannot be written or is no longer there.
  /// Returns what to report.
  private mutating func rotate(at now: Instant, isQuiet: Bool) -> String? {
    let isDue = nextDeadline.map { now >= $0 } ?? false
    if isDue, !isBroken, gone == nil, let files {
      nextDeadline = now + Self.lookPeriod
      look(for: files.current)
    }
    let isLarge =
      files != nil && file.length >= policy.bytesMax
      && (isQuiet || file.length / 2 >= policy.bytesMax)
    guard isBroken || gone != nil || isLarge, trouble == nil || isDue else { return nil }
    let start = Instant(nanoseconds: now.nanoseconds - now.nanoseconds % 1_000)
    let verb = lostSincePart == 1 ? "is" : "are"
    let loss =
      lostSincePart > 0 ? "\(String(counting: lostSincePart, "event")) \(verb) missing" : nil
    let gone = gone
    var closing: [UInt8] = []
    if !isBroken { closing.appendLine(Event(.zero + (now - origin), .mark("end"))) }
    do throws(Errno) {
      try beginPart(opening(at: start, after: loss), closing: closing, at: now)
    } catch {
      let cause = error == .wouldBlock ? "another bench is recording to this file" : "\(error)"
      let before = isBroken ? gone.map { "\($0), and " } ?? "" : ""
      return report("\(before)a new part cannot be started: \(cause)", at: now)
    }
    defer { (origin, eventsInPart, lostSincePart, trouble) = (start, 0, 0, nil) }
    if trouble != nil { return "\(path): recording again\(loss.map { "; \($0)" } ?? "")" }
    return gone.map { "\(path): \($0); a new part was started" }
  }

  /// Notices that the file was moved or deleted.
  private mutating func look(for name: String) {
    if let status = try? file.descriptor.stat(), status.linkCount == 0 {
      gone = "the recording was deleted, and \(String(counting: eventsInPart, "event")) with it"
      lose(eventsInPart)
      // Anything written now would be lost as well.
      (eventsInPart, isBroken, trouble) = (0, true, nil)
    } else if FileIdentity(name) != FileIdentity(file.descriptor) {
      gone = "the recording was moved"
    }
  }

  /// Returns the report of trouble, but only of the first of several failures in a row.
  private mutating func report(_ trouble: String, at now: Instant) -> String? {
    nextDeadline = now + Self.retryPeriod
    defer { self.trouble = trouble }
    guard self.trouble == nil else { return nil }
    let consequence =
      isBroken
      ? "the session continues without being recorded, retrying"
      : "recording continues in the same file, retrying a new part"
    let period = String(shortest: Self.retryPeriod)
    return "\(path): error: \(trouble); \(consequence) every \(period) s"
  }

  /// Returns the opening of a later part. It does not include what the board was doing.
  private func opening(at start: Instant, after loss: String?) -> [UInt8] {
    guard var header else { return [] }
    header.set(start: .unknown)
    header.set(recorded: WallTime.now.textInSeconds)
    var lines: [UInt8] = []
    lines.appendLine(header)
    var note = "part \(part + 1) of a session, from its \(String(canonical: start)) s on"
    if let loss { note += "; before it \(loss)" }
    if let senderBaud { lines.appendLine(Event(.zero, .baud(senderBaud))) }
    if senderFormat != .standard { lines.appendLine(Event(.zero, .format(senderFormat))) }
    for input in inputs { lines.appendLine(Event(.zero, .input(input))) }
    lines.appendLine(Event(.zero, .mark(note)))
    return lines
  }

  /// Begins a part with the lines. It is a new file in place of the present one, unless that is
  /// empty. `closing` is the end of the part before it.
  private mutating func beginPart(
    _ lines: [UInt8], closing: [UInt8] = [], at now: Instant
  ) throws(Errno) {
    if let files, file.length > 0 || gone != nil || part == 0 && beginsAnew {
      // Another bench may have started recording there meanwhile.
      if gone != nil, RecordingFile.isClaimed(files.current) { throw .wouldBlock }
      let status = try? file.descriptor.stat()
      let next = try RecordingFile.create(
        besides: files.current, permissions: Recording.privatePermissions, lines
      ) { (draft, descriptor) throws(Errno) in
        // Lets the same users read both.
        if let status { _ = fchmod(descriptor.rawValue, status.permissions.rawValue) }
        try files.rotate(to: draft)
      }
      // The part is a complete trace even without its end.
      try? file.append(closing)
      file = next
    } else {
      try file.append(lines)
    }
    part += 1
    (isBroken, gone) = (false, nil)
    nextDeadline = files == nil ? nil : now + Self.lookPeriod
  }
}
