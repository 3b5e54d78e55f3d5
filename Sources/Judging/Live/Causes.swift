import Sketches
import Traces

/// The event from which an output is timed.
enum Cause: Hashable {
  /// The start of the sketch: 0 at the session's start, n after the n-th reset.
  case start(Int)
  /// A byte, counted from 0 in the order of arrival at the board.
  case byte(Int)
}

/// A sweep as the model runs it, from taking an `L` until a byte or a reset ends it.
struct Scan: Hashable {
  /// The `L`, counted from 0.
  var cause: Int
  /// When the `L` was taken.
  var begin: Instant
  /// Nil if the session ended first.
  var end: Instant?
}

/// Finds the causes in a session while it runs.
struct CauseTracker: Sendable {
  /// The longest time for which a full ring can keep the sketch busy.
  private static let settleMax = Interval.seconds(15)
  private static let slice = Interval.milliseconds(10)

  /// The model of the sketch, which knows when a byte is taken; nil if it has none.
  private var course: Course?
  /// Without a model, a byte is taken when it has arrived.
  private var arrived: ArrivedInputs

  init(_ course: Course?, or arrived: ArrivedInputs) {
    self.course = course
    self.arrived = arrived
  }

  /// Takes the session's next event, in order of time.
  mutating func take(_ event: Event) {
    if course?.take(event) == nil { arrived.take(event) }
  }

  /// Returns the causes in a session that ended at `end`.
  mutating func finish(at end: Instant) -> Causes {
    course?.advance(to: end)
    return course.map { Causes($0) } ?? Causes(arrived)
  }

  /// Returns the causes after the last byte of a session whose sender is done at `now` was taken.
  func settled(from now: Instant) -> Causes {
    guard var course else { return Causes(arrived) }
    course.advance(to: now)
    let count = course.allBytes().count
    var time = now
    while !course.hasTaken(count), time < now + Self.settleMax {
      time += Self.slice
      course.advance(to: time)
    }
    return Causes(course)
  }
}

/// What reached a board whose sketch has no model: its bytes, and its starts.
struct ArrivedInputs: Sendable {
  /// The fate of a byte with which a command of the profile begins is `letter`. The fates of the
  /// others are not known.
  fileprivate private(set) var bytes: [Ledger.Entry] = []
  /// When the board started: at the session's start and after each reset.
  fileprivate private(set) var starts: [Instant] = [.zero]
  private var line: OccupiedLine
  private var recognizer: CommandRecognizer?

  /// `profile` is nil if the commands are not known. `baud`: the sender's speed in bits a second.
  init(_ profile: Profile?, baud: Int) {
    line = OccupiedLine(baud: baud)
    if let profile, profile.hasCommands { recognizer = CommandRecognizer(profile) }
  }

  /// Takes the session's next event, in order of time.
  mutating func take(_ event: Event) {
    switch event.kind {
    case .baud(let baud): line.baud = baud
    case .format(let format): line.format = format
    case .senderBreak(let length): line.sendBreak(lasting: length, at: event.time)
    case .reset(let deadTime): starts.append(event.time + deadTime)
    case .receive(let received):
      for byte in received {
        let begin = line.send(at: event.time)
        if let pause = recognizer?.pause, let last = bytes.last, begin - last.arrived >= pause {
          _ = recognizer?.takePause()
        }
        bytes.append(
          Ledger.Entry(
            byte: byte, arrived: line.free, taken: line.free,
            fate: beginsCommand(byte) ? .letter : .waiting))
      }
    default: break
    }
  }

  private mutating func beginsCommand(_ byte: UInt8) -> Bool {
    guard var taken = recognizer else { return false }
    let wasOpen = taken.isOpen && !taken.breaksOff(byte)
    let meaning = taken.take(byte)
    recognizer = taken
    return !wasOpen && meaning != .space && meaning != .unknown
  }
}

/// The causes in a session, indexed for searching.
struct Causes: Sendable {
  let bytes: [Ledger.Entry]
  let starts: [Instant]
  /// When the board was reset, by the model.
  let resets: [Instant]
  let scans: [Scan]
  /// The model's outputs.
  let outputs: [Event]
  private let taken: [(time: Instant, byte: Int)]

  init(_ course: Course) {
    bytes = course.allBytes()
    starts = course.starts
    resets = course.resets
    outputs = course.outputs.map { Event($0.time, $0.output) }
    taken = Array(course.taken)
    scans = Self.scans(bytes, course.resets, of: course.sketch)
  }

  init(_ inputs: ArrivedInputs) {
    bytes = inputs.bytes
    starts = inputs.starts
    taken = inputs.bytes.enumerated().map { ($1.arrived, $0) }
    (resets, scans, outputs) = ([], [], [])
  }

  /// The last cause: a byte, or a start of the sketch.
  var last: Cause {
    let start = starts.count - 1
    guard let last = bytes.last, last.arrived >= starts[start] else { return .start(start) }
    return .byte(bytes.count - 1)
  }

  /// Returns when a cause took effect: when a byte was taken, or when it arrived if it never was.
  /// Nil if the cause did not occur.
  func time(of cause: Cause) -> Instant? {
    switch cause {
    case .start(let number): number < starts.count ? starts[number] : nil
    case .byte(let index): index < bytes.count ? bytes[index].taken ?? bytes[index].arrived : nil
    }
  }

  /// Returns the last cause that affected the sketch by `instant`.
  func cause(by instant: Instant) -> Cause {
    let start = max(0, starts.partitioningIndex { $0 > instant } - 1)
    let after = taken.partitioningIndex { $0.time > instant }
    guard after > 0, taken[after - 1].time >= starts[start] || start == 0 else {
      return .start(start)
    }
    return .byte(taken[after - 1].byte)
  }

  /// Returns the scan in progress at `instant`, as an index into `scans`.
  func scan(at instant: Instant) -> Int? {
    let after = scans.partitioningIndex { $0.begin >= instant }
    // The end is exact, but an output is stamped in whole microseconds, rounded up.
    guard after > 0, instant <= (scans[after - 1].end ?? instant) + .microseconds(1) else {
      return nil
    }
    return after - 1
  }

  /// Returns the scan that a byte began.
  func scan(causedBy byte: Int) -> Scan? {
    let index = scans.partitioningIndex { $0.cause >= byte }
    return index < scans.count && scans[index].cause == byte ? scans[index] : nil
  }

  private static func scans(
    _ bytes: [Ledger.Entry], _ resets: [Instant], of sketch: SketchDescription
  ) -> [Scan] {
    var scans: [Scan] = []
    var isScanning = false
    func end(at instant: Instant) {
      scans[scans.count - 1].end = instant
      isScanning = false
    }
    var resets = resets[...]
    for (index, entry) in bytes.enumerated() {
      guard let taken = entry.taken else { continue }
      while let reset = resets.first, reset <= taken {
        if isScanning { end(at: reset) }
        resets.removeFirst()
      }
      if isScanning, entry.endedScan { end(at: taken) }
      if !isScanning, entry.fate == .letter, sketch.letter(entry.byte) == .scan {
        scans.append(Scan(cause: index, begin: taken, end: nil))
        isScanning = true
      }
    }
    if isScanning, let reset = resets.first { end(at: reset) }
    return scans
  }
}
