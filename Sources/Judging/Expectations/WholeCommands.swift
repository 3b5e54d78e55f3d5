package import Sketches
import Traces

/// Which commands of a session that a search made up are attempts, so that rules are judged by
/// them: those that were sent whole, at the board's speed, to a sketch that listens and expects a
/// command.
///
/// What a search sends besides, such as a part of a command, can leave a sketch in the midst of
/// one. It expects a command again after a restart, and after what ends each of its commands.
struct WholeCommands: Hashable {
  /// A sender sends at most so many commands in so long. A program for a turret sends some tens a
  /// second, from camera to camera picture: a flood shows only that any sketch has a limit.
  private static let burst = 4
  private static let period = Interval.milliseconds(50)
  /// How many bytes any board keeps that its sketch has not read: Arduino's ring has 64, and one is
  /// always free.
  private static let kept = 63

  /// How long one byte takes, and how long after a start the sketch listens.
  let byteTime: Interval
  private let startUp: Interval
  private let end: CommandEnd
  private let profile: Profile
  /// Whether the sketch expects a command now, and whether it did when the open one began.
  private var isClean = true
  private var wasClean = true
  /// Whether the pause that ends commands has passed since the last byte.
  private var isRested = false
  /// When a sender that keeps the pace could send again, and whether this one kept it.
  private var paced = Instant.zero
  private var isPaced = true
  /// When each byte of the last period began to arrive, at most so many as a board keeps.
  private var recent: [Instant] = []
  /// When more arrived in a period than a board keeps, with the period after that.
  private var floods: [ClosedRange<Instant>] = []
  private(set) var listens: Instant
  var isAtSpeed = true

  init(_ profile: Profile, baud: Int, listensAfter startUp: Interval) {
    byteTime = ByteClock.byteTime(baud: baud)
    self.startUp = startUp
    end = CommandEnd(of: profile.commands)
    self.profile = profile
    listens = .zero + startUp
  }

  /// Notes that a command, or other bytes, begin.
  mutating func begin(at instant: Instant) {
    wasClean = isClean
    paced =
      max(paced, instant) + .nanoseconds(Self.period.nanoseconds / Int64(Self.burst))
    isPaced = paced - instant <= Self.period
  }

  /// Returns whether a command that has ended, or other bytes, are an attempt.
  mutating func ends(_ command: SentCommand) -> Bool {
    let length = Int64(command.text.count) * byteTime.nanoseconds
    let isAttempt =
      command.form == .whole && wasClean && isAtSpeed && isPaced && !isFlood(command)
      && command.begin >= listens
      && (command.last - command.begin).nanoseconds <= length
      && profile.form(of: command.text) != nil
    isClean = isAttempt || isRested || end == .always
    return isAttempt
  }

  /// Whether so much was sent with a command that a sketch which is busy for the period loses some
  /// of it. A command that is longer than that by itself is no flood.
  private func isFlood(_ command: SentCommand) -> Bool {
    let (earliest, begin) = (command.last - Self.period, command.begin)
    return recent.count == Self.kept && recent[0] > earliest && recent[0] < begin
  }

  /// Notes that a byte that began to arrive at `instant` has been taken, and whether it is no part
  /// of a command.
  mutating func take(_ byte: UInt8, at instant: Instant, isSpace: Bool) {
    if recent.count == Self.kept {
      if recent[0] > instant - Self.period { noteFlood(at: instant) }
      recent.removeFirst()
    }
    recent.append(instant)
    isRested = false
    if isSpace { isClean = end == .always }
    if end == .byte(byte), isAtSpeed { isClean = true }
  }

  private mutating func noteFlood(at instant: Instant) {
    let end = instant + Self.period
    if let last = floods.last, last.upperBound >= instant {
      floods[floods.count - 1] = last.lowerBound...end
    } else {
      floods.append(instant...end)
    }
  }

  /// Whether so much was sent, whatever it was, that a sketch which is busy loses some of it.
  func isFlooded(at instant: Instant) -> Bool { floods.contains { $0.contains(instant) } }

  /// Notes that the board lost a byte, which can have ended what was sent before.
  mutating func lose() { isClean = end == .always }

  /// Notes that nothing was sent for so long.
  mutating func pass(silence: Interval) {
    if case .pause(let pause) = end, silence >= pause { (isClean, isRested) = (true, true) }
  }

  /// `isArriving`: whether bytes that were sent before still arrive after it.
  mutating func restart(at instant: Instant, deadTime: Interval, isArriving: Bool) {
    listens = max(listens, instant + deadTime + startUp)
    // Of those the board can lose the first and take the last.
    if !isArriving { isClean = true }
  }
}

/// After what a sketch expects a command, whatever was sent before.
package enum CommandEnd: Hashable, Sendable {
  /// Each of its commands is one byte.
  case always
  /// Each longer command ends with this byte.
  case byte(UInt8)
  /// Each longer command ends with a pause, the longest of which is this.
  case pause(Interval)
  /// Its commands end in different ways.
  case unknown

  package init(of forms: [CommandForm]) {
    let ends = forms.filter { $0.parts.count > 1 }.map { form -> CommandEnd in
      let last = form.parts.last { if case .optional = $0 { false } else { true } }
      return switch last {
      case .byte(let byte)?: .byte(byte)
      case .pause(let pause)?: .pause(pause)
      default: .unknown
      }
    }
    guard var end = ends.first else {
      self = forms.isEmpty ? .unknown : .always
      return
    }
    for other in ends.dropFirst() where other != end {
      guard case .pause(let pause) = end, case .pause(let longer) = other else {
        self = .unknown
        return
      }
      end = .pause(max(pause, longer))
    }
    self = end
  }
}

// What a session that a search made up, or shortened, holds against the sketch.
extension SessionRecord {
  /// Whether no command is broken off but those that the sender broke off.
  var keepsCommands: Bool {
    guard let brokenOff = setup.brokenOff else { return true }
    return commands.allSatisfy { $0.form != .brokenOff || brokenOff.contains($0.text) }
  }

  /// Whether rules are judged by a command. All are, but in a session that a search made up only
  /// those that were sent whole to a sketch that expects one.
  func isJudged(_ command: SentCommand) -> Bool {
    guard setup.isMadeUp else { return true }
    guard command.isAttempt else { return false }
    guard setup.profile == nil else { return true }
    // What the model did before the first byte had arrived, and whether it discards the command for
    // what was sent before it.
    let byteTime = ByteClock.byteTime(baud: setup.baud)
    let arrival = command.begin + byteTime
    if case .startingUp? = doing(at: command.begin)?.period.activity { return false }
    switch doing(at: arrival - .nanoseconds(1))?.period.activity {
    case .startingUp?, .readingNumber?, .purging?: return false
    default: break
    }
    let bytes = command.begin...(command.last + byteTime)
    let slack = Interval.nanoseconds(byteTime.nanoseconds / 2)
    for entry in fates where entry.fate == .purged && bytes.contains(entry.arrived - slack) {
      return false
    }
    return true
  }

  /// Whether what happened to a byte at an instant is held against the sketch: in a session that a
  /// search made up, only if the last two commands were judged.
  func isJudged(at instant: Instant) -> Bool {
    guard let whole = splitter.whole else { return true }
    if whole.isFlooded(at: instant) { return false }
    if setup.undescribedSketch != nil { return instant >= whole.listens }
    let after = commands.partitioningIndex { $0.begin >= instant }
    return after > commands.startIndex && commands[..<after].suffix(2).allSatisfy { isJudged($0) }
  }

  func isJudged(_ fate: Fate, at instant: Instant) -> Bool {
    switch fate {
    case .booting, .cleared: !setup.isMadeUp
    default: isJudged(at: instant)
    }
  }

  /// Whether something is held against the sketch: in a session that a search made up, not what the
  /// search did itself.
  func isJudged(_ found: FoundMishap) -> Bool {
    guard setup.isMadeUp else { return true }
    return switch found.mishap {
    case .reset, .brownOut, .wrongSpeed, .refused: false
    case .lost: found.loss != nil && found.loss != .booting && isJudged(at: found.time)
    default: true
    }
  }

  /// Whether the search that made up the session restarted the board in this time.
  func isRestarted(after begin: Instant, by end: Instant) -> Bool {
    setup.isMadeUp
      && mishaps.contains { $0.mishap == .reset && $0.time > begin && $0.time <= end }
  }
}
