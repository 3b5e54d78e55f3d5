package import Turret

extension Refusal {
  /// The parts of a refusal's message for a profile that is not one of the bench's own.
  package struct Words: Hashable, Sendable {
    /// The profile's commands, in a sentence.
    package var commands: String
    /// What is wrong with a command that has its form.
    package var mistake: CommandRecognizer.Mistake?

    package init(commands: String, mistake: CommandRecognizer.Mistake? = nil) {
      self.commands = commands
      self.mistake = mistake
    }

    func message(_ why: Why) -> String {
      if why == .various { return "not commands, for more than one reason; expected \(commands)" }
      switch mistake {
      case .noDigits(let field): return "\(field.name) requires digits; \(field.sentence)"
      case .tooManyDigits(let field):
        let digits = field.digitsMax == 1 ? "1 digit" : "\(field.digitsMax) digits"
        return "\(field.name) has at most \(digits); \(field.sentence)"
      case .outOfRange(let field): return field.sentence
      case .wrongChecksum(let expected):
        let digits = String(expected, radix: 16)
        return "the checksum of these bytes is 0x\(digits.utf8.count == 1 ? "0" : "")\(digits)"
      case nil: break
      }
      switch why {
      case .brokenOff:
        return "no command continues with the byte that followed; expected \(commands)"
      case .unfinished: return "the end of the command did not arrive within 250 ms"
      default: return "not a command; expected \(commands)"
      }
    }
  }
}
