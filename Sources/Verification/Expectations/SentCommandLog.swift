package import Traces
package import Turret

/// The last commands that a sender has sent in a session in progress, by the grammar of a profile.
package struct SentCommandLog: Hashable, Sendable {
  /// The number of commands that are kept.
  private static let countMax = 64

  private var splitter: CommandSplitter
  private var line: OccupiedLine

  /// `baud`: the sender's speed in bits a second.
  package init(_ firmware: Firmware, _ profile: Profile, baud: Int) {
    splitter = CommandSplitter(firmware.sketch, profile)
    line = OccupiedLine(baud: baud)
  }

  /// Takes the session's next event, in order of time.
  package mutating func take(_ event: Event) {
    switch event.kind {
    case .baud(let baud): line.baud = baud
    case .format(let format): line.format = format
    case .senderBreak(let length): line.sendBreak(lasting: length, at: event.time)
    case .receive(let bytes):
      for byte in bytes { splitter.take(byte, at: line.send(at: event.time), event: 0) }
      splitter.keepLast(Self.countMax)
    default: break
    }
  }

  /// Notes that no byte has begun to arrive before `instant`.
  package mutating func pass(to instant: Instant) { splitter.pass(to: instant) }

  /// The commands that are complete or were broken off, newest last.
  package var commands: [SentCommand] { splitter.commands }
  /// The command that has begun and can still continue; nil if there is none.
  package var open: SentCommand? { splitter.open }
}
