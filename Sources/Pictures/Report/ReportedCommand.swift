import Traces
import Turret
import Verification

/// A row of a report's table of commands.
struct ReportedCommand: Hashable, Sendable {
  /// When its first byte arrived.
  var time: Instant
  /// The bytes as they would be typed.
  var bytes: String
  /// What the sender meant.
  var meaning: String
  /// What the turret did.
  var effect: String
  /// How long after the arrival of the last byte the turret acted; nil if no output shows it.
  var delay: Interval?
  /// What `guarded` did with the same bytes; nil if the session is on `guarded`.
  var guarded: String?
  /// What went wrong; nil if nothing did.
  var trouble: String?
  /// Whether it is a command of the sketch.
  var isKnown = true

  /// The longest command that is shown in full, in bytes.
  private static let bytesMax = 40

  /// Returns the commands of a record: all of them, without line ends that did no harm.
  static func find(in record: TurretRecord, guarded: TurretRecord?) -> [ReportedCommand] {
    let entries = record.ledger.entries
    var found: [ReportedCommand] = []
    var index = 0
    while index < entries.count {
      let command = IntendedCommand(entries, from: index, firmware: record.firmware)
      index = command.range.upperBound
      var trouble = command.misunderstanding
      let first = entries[command.range.lowerBound]
      if command.kind == .letter, trouble == nil, first.fate == .swallowed {
        trouble = "it ended the number before it, and was lost"
      }
      if trouble == nil, command.bytes.allSatisfy({ [0x0A, 0x0D, 0x20].contains($0) }) { continue }
      let effect = record.effect(of: command)
      let bytes = command.bytes
      var text = String(ByteText.quoted(bytes.prefix(bytesMax)).dropFirst().dropLast())
      if bytes.count > bytesMax { text += " and \(bytes.count - bytesMax) more" }
      found.append(
        ReportedCommand(
          time: first.arrived, bytes: text,
          meaning: meaning(of: command), effect: effect.text, delay: effect.delay,
          guarded: guarded.flatMap { $0.effect(ofBytesAt: command.range) }, trouble: trouble,
          isKnown: command.kind != .unknown))
    }
    return found
  }

  private static func meaning(of command: IntendedCommand) -> String {
    switch command.kind {
    case .aim(let isEnded):
      let angle = command.aimed.map { $0 <= 180 ? "aim at \($0)°" : "aim at \($0), too far" }
      return (angle ?? "aim, without an angle") + (isEnded ? "" : ", without its full stop")
    case .letter:
      return switch command.letter {
      case .scan?: "sweep"
      case .tone(let hertz)?: "sound \(hertz) Hz"
      case .status?: "ask for the status"
      case .telemetry?: "turn reports on or off"
      case nil: "not a command"
      }
    case .unknown: return "not a command"
    }
  }
}

extension TurretRecord {
  /// What this turret did with the bytes that another sketch was sent as one command.
  fileprivate func effect(ofBytesAt range: Range<Int>) -> String? {
    guard range.upperBound <= ledger.entries.count else { return nil }
    let command = IntendedCommand(ledger.entries, from: range.lowerBound, firmware: firmware)
    return effect(of: command).text
  }
}
