package import Devices
package import Sketches
package import Traces

/// Reads a profile: a YAML file, or a header's key `profile`.
///
///     commands: ["P{pan:0..180},{tilt:0..180}\n", "F"]
///     replaces: ["P"]
///     baud: 115200
///     servos: {pan: D9, tilt: D10}
///     pins: {fire: D7}
///     boot: ready
///     centre: "P90,90\n"
package struct ProfileParser {
  private static let keys = [
    "name", "commands", "replaces", "line end", "ignore case", "answers", "baud", "servos", "pins",
    "boot", "hold", "sweep", "scan", "centre",
  ]

  /// The name of a profile that states none.
  private let name: String

  /// `name`: the name of a profile that states none.
  package init(name: String) { self.name = name }

  /// `path`: the path of a profile's file, which names the profile if the profile states no name.
  package init(path: String) {
    let file = path.split(separator: "/").last ?? ""
    name = String(file.split(separator: ".").first ?? file)
  }

  /// Reads the only document of a file.
  package func profile(_ documents: [Notation]) throws(NotationError) -> Profile {
    guard let document = documents.first else {
      throw NotationError(Notation.Place(line: 1, column: 1), "expected a profile, found nothing")
    }
    if documents.count > 1 {
      throw NotationError(documents[1].place, "expected one profile, found another")
    }
    return try profile(document)
  }

  /// Reads a profile: the name of one of the bench's own, or a mapping.
  package func profile(_ notation: Notation) throws(NotationError) -> Profile {
    if case .text(let text, _) = notation {
      guard let firmware = Firmware(rawValue: text) else {
        throw notation.unexpected("a mapping with \"commands\", or \(Firmware.list)")
      }
      return Profile(firmware)
    }
    let members = try notation.members("a mapping with \"commands\"")
    try Notation.check(members, Self.keys, of: "a profile")
    func value(_ key: String) -> Notation? { members.first { $0.key == key }?.value }
    guard let list = value("commands") else {
      throw NotationError(
        notation.place, "expected \"commands\", for example commands: [\"P{pan:0..180}\\n\", F]")
    }
    let ignoresCase = try value("ignore case")?.bool() ?? false
    let lineEnd = try value("line end").map(end) ?? []
    let forms = try forms(list, lineEnd: lineEnd, ignoresCase: ignoresCase)
    var profile = Profile(name: try value("name")?.text("a name") ?? name, commands: forms)
    if let value = value("replaces") {
      for item in value.items {
        let index = try index(ofCommand: item, in: profile, ignoresCase: ignoresCase)
        profile.commands[index].isReplaceable = true
      }
    }
    if let value = value("answers") {
      try addAnswers(value, to: &profile, ignoresCase: ignoresCase)
    }
    profile.baud = try value("baud")?.baud()
    if let value = value("servos") { profile.servos = try pins(value, besides: []) }
    if let value = value("pins") {
      profile.pins = try pins(value, besides: profile.servos, analog: true)
    }
    if let value = value("boot") { profile.boot = try bytes(value, "what the sketch sends") }
    func command(_ key: String) throws(NotationError) -> [UInt8]? {
      guard let value = value(key) else { return nil }
      return try self.command(value, of: profile, lineEnd: lineEnd)
    }
    profile.hold = try command("hold")
    profile.scan = try command("sweep")
    // The earlier name of this key.
    if let scan = try command("scan") { profile.scan = scan }
    profile.centre = try command("centre")
    return profile
  }

  // MARK: Commands

  private func form(_ value: Notation, _ expected: String) throws(NotationError) -> CommandForm {
    try read(value, expected) { (text) throws(CommandForm.Mistake) in try CommandForm(text) }
  }

  private func bytes(_ value: Notation, _ expected: String) throws(NotationError) -> [UInt8] {
    try read(value, expected) { (text) throws(CommandForm.Mistake) in try CommandForm.bytes(text) }
  }

  private func read<Value>(
    _ value: Notation, _ expected: String, _ parse: (String) throws(CommandForm.Mistake) -> Value
  ) throws(NotationError) -> Value {
    let text = try value.text(expected)
    do throws(CommandForm.Mistake) {
      return try parse(text)
    } catch {
      throw NotationError(
        value.place, "\(error.message), at character \(error.column) of \(PlainText.quoted(text))")
    }
  }

  /// Reads what ends each command: bytes, of which some can be missing, or a pause.
  private func end(_ value: Notation) throws(NotationError) -> [CommandForm.Part] {
    let expected = "what ends each command, for example \"\\n\", \"{\\r?}\\n\" or \"{pause}\""
    let parts = try form(value, expected).parts
    guard !parts.isEmpty else {
      throw NotationError(value.place, "expected at least one byte, or {pause}")
    }
    for part in parts {
      switch part {
      case .byte, .either, .optional, .pause: break
      default: throw value.unexpected(expected)
      }
    }
    return parts
  }

  private func forms(
    _ list: Notation, lineEnd: [CommandForm.Part], ignoresCase: Bool
  ) throws(NotationError) -> [CommandForm] {
    let expected = "a command, for example \"P{pan:0..180}\\n\""
    guard case .list(let items, _) = list, !items.isEmpty else {
      throw list.unexpected("a list of commands, for example [\"P{pan:0..180}\\n\", F]")
    }
    guard items.count <= Profile.commandsMax else {
      throw NotationError(
        items[Profile.commandsMax].place, "expected at most \(Profile.commandsMax) commands")
    }
    var forms: [CommandForm] = []
    for item in items {
      var form = try form(item, expected)
      if !form.parts.isEmpty, !form.ends(with: lineEnd) { form.append(lineEnd) }
      if ignoresCase { form = form.ignoringCase }
      if let problem = form.problem { throw NotationError(item.place, problem) }
      forms.append(form)
    }
    if let (ending, other) = CommandForm.overlap(in: forms) {
      throw NotationError(
        items[other].place,
        "expected commands that can be told apart: \(forms[ending]) can end where "
          + "\(forms[other]) continues; give them different beginnings or an end, such as \\n")
    }
    return forms
  }

  /// Reads the beginning of a command. Returns the place of the only command that has it.
  private func index(
    ofCommand item: Notation, in profile: Profile, ignoresCase: Bool
  ) throws(NotationError) -> Int {
    let form = try form(item, "the beginning of a command")
    let beginning = ignoresCase ? form.ignoringCase.parts : form.parts
    let found = profile.commands.indices.filter {
      !beginning.isEmpty && profile.commands[$0].parts.starts(with: beginning)
    }
    guard let index = found.first, found.count == 1 else {
      throw item.unexpected(
        found.isEmpty
          ? "the beginning of a command (\(profile.list))"
          : "the beginning of only one command")
    }
    return index
  }

  /// Reads what the sketch answers to commands: `{P: ok, "?": "pos {pan:0..180}", F: none}`.
  private func addAnswers(
    _ value: Notation, to profile: inout Profile, ignoresCase: Bool
  ) throws(NotationError) {
    let expected = "the beginnings of commands with their answers, for example {P: ok, F: none}"
    for member in try value.members(expected) {
      let key = Notation.text(member.key, member.keyPlace)
      let index = try index(ofCommand: key, in: profile, ignoresCase: ignoresCase)
      guard profile.commands[index].answer == nil else {
        throw NotationError(
          member.keyPlace,
          "expected one answer for each command, found another for "
            + profile.commands[index].description)
      }
      let answer = "a line that the sketch sends, for example ok, or none"
      var form = try form(member.value, answer)
      if form.parts == "none".utf8.map({ CommandForm.Part.byte($0) }) {
        profile.commands[index].answer = CommandAnswer.none
        continue
      }
      guard !form.parts.isEmpty else { throw member.value.unexpected(answer) }
      form.append([.byte(UInt8(ascii: "\n"))])
      if let problem = form.problem { throw NotationError(member.value.place, problem) }
      profile.commands[index].answer = .line(form.parts)
    }
  }

  private func command(
    _ value: Notation, of profile: Profile, lineEnd: [CommandForm.Part]
  ) throws(NotationError) -> [UInt8] {
    var bytes = try bytes(value, "a command in full")
    let end = CommandForm(lineEnd).bytes([])
    if profile.form(of: bytes) == nil, !bytes.suffix(end.count).elementsEqual(end) { bytes += end }
    guard profile.form(of: bytes) != nil else {
      throw value.unexpected("one command in full (\(profile.list))")
    }
    return bytes
  }

  // MARK: Pins

  private func pins(
    _ value: Notation, besides others: [Profile.NamedPin], analog: Bool = false
  ) throws(NotationError) -> [Profile.NamedPin] {
    let members = try value.members("names with their pins, for example {pan: D9, tilt: D10}")
    var pins: [Profile.NamedPin] = []
    for member in members {
      guard pins.count < Profile.pinsMax else {
        throw NotationError(member.keyPlace, "expected at most \(Profile.pinsMax) names")
      }
      guard ProfileName.isValid(member.key), BoardPin(name: member.key) == nil else {
        throw member.unexpected("a name of \(ProfileName.rule) that is not a pin's")
      }
      let name = try member.value.text(BoardPin.names)
      guard let pin = BoardPin(name: name) ?? (analog ? BoardPin(analogName: name) : nil) else {
        throw member.value.unexpected(BoardPin.names)
      }
      if let other = (others + pins).first(where: { $0.name == member.key || $0.pin == pin }) {
        throw NotationError(
          member.keyPlace,
          "expected each name and each pin once; \(other.name) is on \(other.pin.name)")
      }
      pins.append(Profile.NamedPin(member.key, pin))
    }
    return pins
  }
}

extension Header {
  /// Returns the profile that the header states; nil if there is none, or if it names a sketch of
  /// the bench. `path`: the trace's, for messages.
  package func ownProfile(in path: String) throws(TraceError) -> Profile? {
    guard let profile else { return nil }
    do throws(NotationError) {
      let notation = Notation(profile)
      let found = try ProfileParser(name: "profile").profile(notation)
      if case .text = notation { return nil }
      return found
    } catch {
      throw TraceError(.malformed, path: path, line: 1, "\"profile\": \(error.message)")
    }
  }

  /// Sets a profile, with its speed if the trace states none, and the pins that it names if the
  /// device shows their levels.
  package mutating func adopt(_ profile: Profile, on source: some DeviceSource) {
    set(profile, on: source)
    if let baud = profile.baud { set(unstatedBaud: baud) }
    guard source.observes(firmware(unless: nil)).contains(.pin) else { return }
    set(pins: pins.union(profile.pins.map { $0.pin }.filter { $0.arduino != nil }))
  }

  /// Sets the profile of a sketch that is not one of the bench's own. A device that executes any
  /// program executes that sketch, so the header names it.
  package mutating func set(_ profile: Profile, on source: some DeviceSource) {
    if profile.hasCommands { set(profile: JSONValue(profile)) }
    if source.runsAnyProgram { set(sketch: profile.name) }
  }
}
