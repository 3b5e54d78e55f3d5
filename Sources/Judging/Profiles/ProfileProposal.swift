package import Sketches
import Traces

/// A proposal for a sketch's profile, with what was observed.
package struct ProfileProposal: Hashable, Sendable {
  private struct Servo: Hashable {
    var pin: BoardPin
    var degrees: ClosedRange<UInt8>
    var microseconds: ClosedRange<UInt16>

    var seen: String {
      guard microseconds.count > 1 else {
        return "\(degrees.lowerBound) degrees, \(microseconds.lowerBound) us"
      }
      return "\(degrees.lowerBound) to \(degrees.upperBound) degrees, "
        + "\(microseconds.lowerBound) to \(microseconds.upperBound) us"
    }
  }

  /// The pin of the servo whose events name none.
  private let own: BoardPin
  var baud: Int?
  var boot: [UInt8] = []
  /// The pause that ends commands; nil if none does.
  var pause: Interval?
  /// How many commands the session has.
  package var commandCount = 0
  /// The bytes of the session's last line, if it has no end.
  var rest: [UInt8] = []
  private var servos: [Servo] = []
  private var pins: [BoardPin] = []
  private var forms: [LearnedForm] = []
  /// What the profile cannot express of the session's commands, and why.
  package private(set) var leftOut: [String] = []
  /// The number of the session's bytes that the profile does not accept.
  package private(set) var refusedCount = 0

  /// How many bytes of the session were not used, because it took too long.
  var unusedCount = 0
  /// A command of the session that moved something, and that the forms do not accept.
  private var refused: [UInt8]?

  init(own: BoardPin) { self.own = own }

  /// Whether it is a profile: it has a command, and accepts those of its session that moved
  /// something.
  package var isUsable: Bool { !forms.isEmpty && refused == nil }

  /// Why it is none.
  package var problem: String {
    if let refused {
      let text = CommandForm.text(of: refused.prefix(CommandForm.lengthMax))
      return "the commands found would refuse \"\(text)\", which moved something"
    }
    return "expected commands that a profile can express, found "
      + (commandCount == 0 ? "no bytes for the sketch" : "none")
  }

  mutating func see(_ output: Output) {
    switch output {
    case .servo(let degrees, let width, let pin):
      let pin = pin ?? own
      guard let index = servos.firstIndex(where: { $0.pin == pin }) else {
        if servos.count < Profile.pinsMax {
          servos.append(
            Servo(pin: pin, degrees: degrees...degrees, microseconds: width...width))
        }
        return
      }
      let seen = servos[index]
      servos[index].degrees =
        min(seen.degrees.lowerBound, degrees)...max(seen.degrees.upperBound, degrees)
      servos[index].microseconds =
        min(seen.microseconds.lowerBound, width)...max(seen.microseconds.upperBound, width)
    case .pin(let pin, _): if !pins.contains(pin) { pins.append(pin) }
    default: break
    }
  }

  /// Whether the forms accept these bytes: as one command, or as several without a pause. A line
  /// end or space between commands counts as nothing.
  func accepts(_ bytes: [UInt8]) -> Bool {
    if forms.contains(where: { $0.form.matches(bytes) }) { return true }
    var recognizer = CommandRecognizer(profile)
    var hasCommand = false
    for byte in bytes {
      guard !recognizer.breaksOff(byte) else { return false }
      switch recognizer.take(byte) {
      case .open: break
      case .command: hasCommand = true
      case .space where hasCommand: break
      case .space, .refused, .unknown: return false
      }
    }
    return hasCommand && !recognizer.isOpen
  }

  /// Whether a command has lost its end, which a sketch can take when nothing follows.
  private func isBeginning(_ bytes: [UInt8]) -> Bool {
    var recognizer = CommandRecognizer(profile)
    return bytes.allSatisfy { !recognizer.breaksOff($0) && recognizer.take($0) == .open }
  }

  /// Notes commands of which nothing is known but their bytes.
  mutating func leaveOut(_ command: [UInt8]) {
    let text = CommandForm.text(of: command.prefix(CommandForm.lengthMax))
    leftOut.append("\(text): its numbers could not be told from its other bytes")
  }

  /// Adds a form, unless a profile cannot express it. It replaces forms of which it accepts more.
  mutating func add(_ form: LearnedForm) {
    let new = form.form
    func leaveOut(_ reason: String) { leftOut.append("\(new.description): \(reason)") }
    if let problem = new.problem { return leaveOut(problem) }
    forms.removeAll { new.matches($0.example) }
    guard forms.count < Profile.commandsMax else {
      return leaveOut("expected at most \(Profile.commandsMax) commands")
    }
    let all = (forms + [form]).map { $0.form }
    if let (ending, other) = CommandForm.overlap(in: all) {
      return leaveOut("\(all[ending]) can end where \(all[other]) continues")
    }
    forms.append(form)
  }

  /// Counts the bytes of the session's commands that the profile does not accept. A command that
  /// moved something and has no form gets its own.
  mutating func check(_ commands: [[UInt8]], moving: [[UInt8]]) {
    for command in moving where !accepts(command) && !isBeginning(command) {
      var parts = command.map { CommandForm.Part.byte($0) }
      if let pause { parts.append(.pause(pause)) }
      let form = CommandForm(parts)
      if form.problem == nil, forms.count < Profile.commandsMax,
        CommandForm.overlap(in: forms.map { $0.form } + [form]) == nil
      {
        forms.append(
          LearnedForm(
            form: form, fields: [], count: commands.count { $0 == command }, example: command,
            effect: "outputs", moves: true,
            notes: ["Its bytes could not be told from those of the others."]))
      } else if refused == nil {
        refused = command
      }
    }
    refusedCount = rest.count
    var known: [[UInt8]: Bool] = [:]
    for command in commands {
      let isKnown = known[command] ?? accepts(command)
      known[command] = isKnown
      if !isKnown { refusedCount += command.count }
    }
  }

  package var profile: Profile {
    var profile = Profile(name: "", commands: forms.map { $0.form }, baud: baud)
    profile.servos = servos.map { Profile.NamedPin(Self.name("servo", $0.pin), $0.pin) }
    profile.pins = switched.map { Profile.NamedPin(Self.name("pin", $0), $0) }
    profile.boot = boot
    return profile
  }

  /// The pins that are switched and have no servo.
  private var switched: [BoardPin] {
    Array(
      pins.filter { pin in !servos.contains { $0.pin == pin } }.sorted().prefix(Profile.pinsMax))
  }

  /// Returns a name for a pin: `servo9`, `pinA0`, `servo0x40-3`.
  private static func name(_ kind: String, _ pin: BoardPin) -> String {
    if let driver = pin.driver {
      return kind + "0x" + String(driver.address, radix: 16) + "-\(driver.channel)"
    }
    return kind + (pin.name.utf8.first == UInt8(ascii: "D") ? pin.name.dropFirst() : pin.name[...])
  }
}

extension ProfileProposal {
  /// Returns the profile as YAML, with comments about what was observed. `sketch` and `session` are
  /// file names.
  package func yaml(sketch: String, session: String) -> String {
    let commands = commandCount == 1 ? "command" : "\(commandCount) commands"
    var lines = [
      "# A proposal: what \(PlainText.of(sketch)) did with the \(commands) of",
      "# \(PlainText.of(session)). Check the ranges, and name the numbers, servos and pins.",
    ]
    func comment(_ texts: [String], indent: String) {
      for text in texts { lines.append("\(indent)# \(text)") }
    }
    let end = commonEnd
    let ignoresCase = ignoresCase
    if let refused {
      let text = CommandForm.text(of: refused.prefix(CommandForm.lengthMax))
      lines += [
        "# This is no profile: it would refuse \"\(text)\", which moved something in the session.",
        "# What was found:",
      ]
      for form in forms { comment([form.form.description] + form.remarks, indent: "") }
    } else if forms.isEmpty {
      lines += [
        "# No command was found that a profile can express. So this is no profile yet.",
        "# Tried: lines, pauses, and each byte after which the sketch did something; other digits,",
        "# bytes and words of 16 bits in each command; checksums; letters of other case.",
      ]
    } else {
      if ignoresCase { lines.append("ignore case: yes") }
      lines.append("commands:")
    }
    let forms = isUsable ? forms : []
    for form in forms {
      comment(form.remarks, indent: "  ")
      lines.append("  - \(Self.quoted(shortened(form.form, end, ignoresCase)))")
    }
    if isUsable, !end.isEmpty {
      lines.append("line end: \(Self.quoted(CommandForm(end).description))")
    }
    if !leftOut.isEmpty {
      lines.append("# Left out, because a profile cannot express it:")
      comment(leftOut, indent: "")
    }
    let answers = forms.filter { $0.form.answer != nil }
    if !answers.isEmpty, answers.allSatisfy({ $0.form.answer == CommandAnswer.none }) {
      lines.append("# The sketch sent no answers.")
    } else if !answers.isEmpty {
      lines += ["# What followed on the line. For a wrong number, the sketch can answer otherwise."]
      lines.append("answers:")
      for form in answers {
        let key = Self.quoted(shortened(form.form, [], ignoresCase))
        lines.append("  \(key): \(Self.quoted(form.form.answer?.text ?? ""))")
      }
    }
    if let baud {
      lines += ["# The sketch sets this speed.", "baud: \(baud)"]
    }
    if !servos.isEmpty {
      lines.append("servos:")
      for servo in servos {
        lines.append("  # Seen: \(servo.seen).")
        lines.append("  \(Self.name("servo", servo.pin)): \(Self.quoted(servo.pin.name))")
      }
    }
    if !switched.isEmpty {
      lines.append("pins:")
      for pin in switched {
        lines.append("  \(Self.name("pin", pin)): \(Self.quoted(pin.name))")
      }
    }
    if !boot.isEmpty {
      let text = CommandForm.text(of: boot)
      lines += ["# The sketch sends this at its start.", "boot: \(Self.quoted(text))"]
    }
    if unusedCount > 0 {
      let bytes = String(counting: unusedCount, "byte")
      lines.append("# The last \(bytes) of the session were not used: the time was over.")
    }
    if !forms.isEmpty {
      lines.append(
        "# No command may be replaced by a newer one; \"replaces\" lists those that may.")
    }
    if refusedCount > 0 {
      let bytes = String(counting: refusedCount, "byte")
      lines.append(
        "# \(bytes) of the session \(refusedCount == 1 ? "is" : "are") not part of these commands.")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What ends all commands; empty if they end in different ways.
  private var commonEnd: [CommandForm.Part] {
    func end(_ form: CommandForm) -> [CommandForm.Part] {
      let count = form.parts.reversed().prefix { part in
        switch part {
        case .byte(0x0A), .byte(0x0D), .optional, .pause: true
        default: false
        }
      }.count
      return Array(form.parts.suffix(count))
    }
    guard let first = forms.first.map({ end($0.form) }),
      forms.allSatisfy({ end($0.form) == first && $0.form.parts.count > first.count })
    else { return [] }
    return first
  }

  /// Whether letters of either case are accepted in all commands.
  private var ignoresCase: Bool {
    forms.contains { $0.form.parts != Self.inOneCase($0.form).parts }
      && forms.allSatisfy { Self.inOneCase($0.form).ignoringCase.parts == $0.form.parts }
  }

  /// Returns a form with letters as the session has them.
  private static func inOneCase(_ form: CommandForm) -> CommandForm {
    CommandForm(
      form.parts.map { part in
        guard case .either(let choices) = part, choices.count == 2, choices[0] ^ 0x20 == choices[1],
          (0x41...0x5A).contains(choices[0] & ~0x20)
        else { return part }
        return .byte(choices[0])
      })
  }

  private func shortened(
    _ form: CommandForm, _ end: [CommandForm.Part], _ ignoresCase: Bool
  ) -> String {
    let form = ignoresCase ? Self.inOneCase(form) : form
    let parts = Array(form.parts.dropLast(end.count))
    let isBinary = parts.contains { part in
      switch part {
      case .byte(let byte): byte > 0x7E
      case .single, .packed: true
      default: false
      }
    }
    let text = CommandForm(parts).description
    guard isBinary else { return text }
    // A form of bytes is spelt in bytes, if that is the same.
    let spelt = parts.map { part in
      guard case .byte(let byte) = part else { return part.description }
      return "0x" + String(byte, radix: 16, digits: 2, uppercase: true)
    }.joined(separator: " ")
    return (try? CommandForm(spelt))?.parts == parts ? spelt : text
  }

  /// Returns a text in YAML's single quotes, in which a backslash is an ordinary character.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }
}
