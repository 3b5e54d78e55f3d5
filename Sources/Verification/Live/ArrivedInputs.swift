import Traces
import Turret

/// What reached a board whose sketch has no model: its bytes, and its starts.
struct ArrivedInputs: Sendable {
  private(set) var bytes: [UInt8] = []
  /// When each byte had arrived.
  private(set) var arrivals: [Instant] = []
  /// When the board started: at the session's start and after each reset.
  private(set) var starts: [Instant] = [.zero]
  /// For each byte, whether a command of the profile begins with it.
  private(set) var beginsCommand: [Bool] = []
  private var line: OccupiedLine
  private var recognizer: CommandRecognizer?

  /// `baud`: the sender's speed in bits a second.
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
        if let pause = recognizer?.pause, let last = arrivals.last, begin - last >= pause {
          _ = recognizer?.takePause()
        }
        bytes.append(byte)
        arrivals.append(line.free)
        beginsCommand.append(begins(byte))
      }
    default: break
    }
  }

  private mutating func begins(_ byte: UInt8) -> Bool {
    guard var taken = recognizer else { return false }
    let wasOpen = taken.isOpen && !taken.breaksOff(byte)
    let meaning = taken.take(byte)
    recognizer = taken
    return !wasOpen && meaning != .space && meaning != .unknown
  }

  /// The last byte or start.
  var last: Cause { cause(by: .distantFuture) }

  /// Returns the last byte that had arrived by an instant, or the start if that is later.
  func cause(by instant: Instant) -> Cause {
    let start = max(0, starts.partitioningIndex { $0 > instant } - 1)
    let byte = arrivals.partitioningIndex { $0 > instant } - 1
    guard byte >= 0, arrivals[byte] >= starts[start] else { return .start(start) }
    return .byte(byte)
  }

  /// Returns when a cause occurred; nil if it did not.
  func time(of cause: Cause) -> Instant? {
    switch cause {
    case .start(let number): number < starts.count ? starts[number] : nil
    case .byte(let index): index < arrivals.count ? arrivals[index] : nil
    }
  }
}
