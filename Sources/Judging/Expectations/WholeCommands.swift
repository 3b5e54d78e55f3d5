package import Sketches

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

  /// How long one byte takes, and how long after a start the sketch listens.
  let byteTime: Interval
  private let startUp: Interval
  private let end: CommandEnd
  private let profile: Profile
  /// Whether the sketch expects a command now, and whether it did when the open one began.
  private var isClean = true
  private var wasClean = true
  /// When a sender that keeps the pace could send again, and whether this one kept it.
  private var paced = Instant.zero
  private var isPaced = true
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
      command.form == .whole && wasClean && isAtSpeed && isPaced && command.begin >= listens
      && (command.last - command.begin).nanoseconds <= length
      && profile.form(of: command.text) != nil
    isClean = isAttempt || end == .always
    return isAttempt
  }

  /// Notes that a byte has been taken, and whether it is no part of a command.
  mutating func take(_ byte: UInt8, isSpace: Bool) {
    if isSpace { isClean = end == .always }
    if end == .byte(byte), isAtSpeed { isClean = true }
  }

  /// Notes that the board lost a byte, which can have ended what was sent before.
  mutating func lose() { isClean = end == .always }

  /// Notes that nothing was sent for so long.
  mutating func pass(silence: Interval) {
    if case .pause(let pause) = end, silence >= pause { isClean = true }
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
