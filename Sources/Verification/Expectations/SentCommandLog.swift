package import Traces
package import Turret

/// The last commands that a sender has sent in a session in progress, by the grammar of a profile.
package struct SentCommandLog: Hashable, Sendable {
  /// The number of commands that are kept.
  private static let countMax = 64

  private var splitter: CommandSplitter
  private var senderBaud: Int
  /// When the line becomes free.
  private var lineFree = Instant.zero

  /// `baud`: the sender's speed in bits a second.
  package init(_ firmware: Firmware, _ profile: Profile, baud: Int) {
    splitter = CommandSplitter(firmware.sketch, profile)
    senderBaud = baud
  }

  /// Takes the session's next event, in order of time.
  package mutating func take(_ event: Event) {
    switch event.kind {
    case .baud(let baud): senderBaud = baud
    case .receive(let bytes):
      let byteTime = ByteClock.byteTime(baud: senderBaud)
      for byte in bytes {
        let begin = max(event.time, lineFree)
        lineFree = begin + byteTime
        splitter.take(byte, at: begin, event: 0)
      }
      splitter.keepLast(Self.countMax)
    case .reset, .output, .input, .mark, .other: break
    }
  }

  /// Notes that no byte has begun to arrive before `instant`.
  package mutating func pass(to instant: Instant) { splitter.pass(to: instant) }

  /// The commands that are complete or were broken off, newest last.
  package var commands: [SentCommand] { splitter.commands }
  /// The command that has begun and can still continue; nil if there is none.
  package var open: SentCommand? { splitter.open }
}
