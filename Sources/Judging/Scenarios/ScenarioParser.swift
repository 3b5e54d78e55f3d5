import Devices
import Sketches
import Traces

/// Reads the scenarios of a file.
package struct ScenarioParser {
  private let path: String
  /// The name of a scenario that states none: the file's, without its extension.
  private let fileName: String

  private static let keys = [
    "name", "firmware", "profile", "device", "options", "baud", "run", "send", "rig", "pty",
    "timeout", "for", "faults", "seed", "expect",
  ]
  private static let defaultKeys = [
    "firmware", "profile", "device", "options", "baud", "pty", "timeout", "for", "faults",
    "seed", "expect",
  ]

  /// The options of an emulated board, except those that name a file.
  private static let boardOptions = [
    "pin", "pins", "servo-range", "rx-pin", "tx-pin", "chip", "clock", "set", "analog",
    "adc-noise", "adc-seed", "attach",
  ]

  /// `path` is used in messages and in the rules' places.
  package init(path: String) {
    self.path = path
    let file = path.split(separator: "/").last ?? ""
    fileName = String(file.split(separator: ".").first ?? file)
  }

  /// Reads documents: each is a scenario, or has several under `scenarios`. The keys under
  /// `defaults` apply to the scenarios after them.
  package func scenarios(_ documents: [Notation]) throws(NotationError) -> [Scenario] {
    var defaults: [Notation.Member] = []
    var scenarios: [Scenario] = []
    for document in documents {
      var members = try document.members("a scenario: a mapping with run or send, and expect")
      if let index = members.firstIndex(where: { $0.key == "defaults" }) {
        defaults = try members.remove(at: index).value.members("a mapping of defaults")
        try Notation.check(defaults, Self.defaultKeys)
        if members.isEmpty { continue }
      }
      guard let list = members.first(where: { $0.key == "scenarios" }) else {
        scenarios.append(try scenario(members, defaults, document.place))
        continue
      }
      if let other = members.first(where: { $0.key != "scenarios" }) {
        throw other.unexpected("nothing but defaults next to \"scenarios\"")
      }
      for item in list.value.items {
        scenarios.append(
          try scenario(item.members("a scenario: a mapping"), defaults, item.place))
      }
    }
    try name(&scenarios)
    return scenarios
  }

  /// Reads the rules of the only scenario in a file, with that scenario, or of a file that is a
  /// list of rules.
  package func rules(
    _ documents: [Notation]
  ) throws(NotationError) -> (rules: [Rule], scenario: Scenario?) {
    guard let document = documents.first else {
      throw NotationError(Notation.Place(line: 1, column: 1), "expected rules, found nothing")
    }
    if documents.count == 1 {
      if case .list = document { return (try someRules(document), nil) }
      if case .mapping(let members, _) = document, members.count == 1, members[0].key == "expect" {
        return (try someRules(members[0].value), nil)
      }
    }
    let scenarios = try scenarios(documents)
    guard scenarios.count == 1 else {
      throw NotationError(
        document.place,
        "expected one scenario, found \(scenarios.count); --scenario chooses one by its name")
    }
    return (scenarios[0].rules, scenarios[0])
  }

  private func someRules(_ value: Notation) throws(NotationError) -> [Rule] {
    let rules = try RuleParser(path: path).rules(value)
    if rules.isEmpty { throw value.unexpected("at least one rule") }
    return rules
  }

  // MARK: One scenario

  private func scenario(
    _ own: [Notation.Member], _ defaults: [Notation.Member], _ place: Notation.Place
  ) throws(NotationError) -> Scenario {
    try Notation.check(own, Self.keys)
    func value(_ key: String) -> Notation? {
      (own.first { $0.key == key } ?? defaults.first { $0.key == key })?.value
    }
    var rules: [Rule] = []
    for member in [defaults, own].compactMap({ $0.first { $0.key == "expect" } }) {
      rules += try RuleParser(path: path).rules(member.value)
    }
    guard !rules.isEmpty else {
      throw NotationError(place, "expected \"expect\" with at least one rule")
    }
    var scenario = Scenario(
      name: try value("name")?.text("a name") ?? "", place: place,
      sender: try sender(value("run"), value("send"), value("rig"), place), rules: rules)
    if let firmware = value("firmware") {
      scenario.firmware = Firmware(rawValue: try firmware.text(Firmware.list))
      if scenario.firmware == nil { throw firmware.unexpected(Firmware.list) }
    }
    if let profile = value("profile") {
      if case .text(let path, _) = profile, !path.isEmpty {
        scenario.profile = .file(path)
      } else {
        scenario.profile = .own(try ProfileParser(name: "profile").profile(profile))
      }
    }
    scenario.device = try value("device")?.text("a device, for example avr:build/my.elf")
    if let options = value("options") { scenario.options = try boardOptions(options, scenario) }
    scenario.baud = try value("baud")?.baud()
    // Under defaults, it is for the scenarios that have a process.
    if let pty = own.first(where: { $0.key == "pty" }), !scenario.hasProcess {
      throw NotationError(pty.keyPlace, "\"pty\" requires \"run\": only a command opens a port")
    }
    if scenario.hasProcess, let pty = value("pty") {
      let path = try pty.text("the path of the link to the pty, for example /tmp/turret")
      if path.isEmpty { throw pty.unexpected("the path of the link to the pty") }
      scenario.pty = path
    }
    if let timeout = value("timeout") {
      let isNever = try timeout.text("a length of time") == "0"
      scenario.timeout = isNever ? .zero : try timeout.duration()
    }
    scenario.length = try value("for")?.duration()
    if let faults = value("faults") { scenario.faults = try faults.faults() }
    if let seed = value("seed") {
      let expected = "a whole number"
      guard let number = UInt64(try seed.text(expected)) else { throw seed.unexpected(expected) }
      scenario.seed = number
    }
    try checkSender(scenario)
    return scenario
  }

  /// Reads a mapping of options of an emulated board, each with a value or a list of values.
  private func boardOptions(
    _ value: Notation, _ scenario: Scenario
  ) throws(NotationError) -> [String] {
    let members = try value.members("a mapping of options, for example {rx-pin: D10}")
    try Notation.check(members, Self.boardOptions)
    guard scenario.device?.hasPrefix("avr:") == true else {
      throw NotationError(value.place, "\"options\" requires a device avr:FILE")
    }
    var words: [String] = []
    for member in members {
      // Its former name.
      let option = member.key == "adc-seed" ? "adc-noise=seed" : member.key
      for item in member.value.items {
        words.append("--\(option)=\(try item.text("a value as on the command line"))")
      }
    }
    return words
  }

  /// Checks that rules about a process have one, and that `for` does not end before the last bytes
  /// are sent.
  private func checkSender(_ scenario: Scenario) throws(NotationError) {
    if scenario.hasProcess { return }
    for rule in scenario.rules {
      if case .sender = rule.requirement {
        throw NotationError(
          scenario.place, "\"\(rule.requirement)\" requires \"run\": only a command has a process")
      }
    }
    if let length = scenario.length, case .bytes(let sent) = scenario.sender,
      let last = sent.last, last.time > .zero + length
    {
      throw NotationError(
        scenario.place, "\"for\" ends the session before the last bytes are sent")
    }
  }

  private func sender(
    _ run: Notation?, _ send: Notation?, _ rig: Notation?, _ place: Notation.Place
  ) throws(NotationError) -> Scenario.Sender {
    if let rig {
      if let other = run ?? send {
        throw NotationError(other.place, "expected one of \"run\", \"send\" and \"rig\"")
      }
      if case .text(let path, _) = rig, path.isEmpty {
        throw rig.unexpected("a rig: a mapping with faces, or the path of its file")
      }
      return .rig(rig)
    }
    switch (run, send) {
    case (let run?, nil):
      let command = try run.text("a command for the shell")
      if command.isEmpty { throw run.unexpected("a command for the shell") }
      return .command(command)
    case (nil, let send?): return .bytes(try sent(send))
    case (nil, nil):
      throw NotationError(place, "expected \"run\", \"send\" or \"rig\": what is sent")
    case (_, let send?):
      throw NotationError(send.place, "expected either \"run\" or \"send\", found both")
    }
  }

  private func sent(_ list: Notation) throws(NotationError) -> [Scenario.Sent] {
    let expected = "a list of times and bytes: [[1.5, \"X90.\"]]"
    guard case .list(let items, _) = list, !items.isEmpty else { throw list.unexpected(expected) }
    var sent: [Scenario.Sent] = []
    for item in items {
      guard case .list(let pair, _) = item, pair.count == 2 || pair.count == 4 else {
        throw item.unexpected(
          "a time and bytes, or a time and an input: [1.5, \"X90.\"], [2, set, D2, 1]")
      }
      let time = try Self.time(pair[0])
      if let last = sent.last, time < last.time {
        throw NotationError(pair[0].place, "the time goes backwards, from \(last.time.text)")
      }
      if pair.count == 4 {
        sent.append(Scenario.Sent(time, .input(try Self.input(pair[1], pair[2], pair[3]))))
        continue
      }
      let text = try pair[1].text("bytes in quotes").unicodeScalars
      let bytes = text.compactMap { UInt8(exactly: $0.value) }
      guard bytes.count == text.count else {
        throw pair[1].unexpected("bytes: characters up to U+00FF")
      }
      guard !bytes.isEmpty else { throw pair[1].unexpected("at least one byte") }
      sent.append(Scenario.Sent(time, .receive(bytes)))
    }
    return sent
  }

  /// Parses an input of the board, as in a trace.
  private static func input(
    _ kind: Notation, _ target: Notation, _ value: Notation
  ) throws(NotationError) -> BoardInput {
    let kinds = "an input: set, analog or part"
    guard let word = BoardInput.Kind(rawValue: try kind.text(kinds)) else {
      throw kind.unexpected(kinds)
    }
    let name = try target.text("a pin or a part")
    let number = try value.text("a number")
    switch word {
    case .set:
      guard let pin = BoardPin(name: name), pin.arduino != nil else {
        throw target.unexpected("a pin of the board, for example D2")
      }
      guard number == "0" || number == "1" else { throw value.unexpected("a level, 0 or 1") }
      return .level(pin, number == "1")
    case .analog:
      guard let pin = BoardPin(analogName: name) else {
        throw target.unexpected("a pin of the board, for example A0")
      }
      guard let microvolts = BoardInput.microvolts(number) else {
        throw value.unexpected(BoardInput.voltsNoun)
      }
      return .voltage(pin, microvolts: microvolts)
    case .part:
      guard let part = BoardPart(name) else {
        throw target.unexpected("a part, such as \(BoardPart.examples)")
      }
      guard let millionths = BoardInput.millionths(number) else {
        throw value.unexpected("a number from 0 with at most six places")
      }
      return .part(part, millionths: millionths)
    }
  }

  /// Parses seconds, as in a trace, or a length of time with its unit.
  private static func time(_ value: Notation) throws(NotationError) -> Instant {
    let expected = "seconds, for example 1.5"
    let text = try value.text(expected)
    guard
      let time = Interval(decimalSeconds: text, limit: 1_000_000)
        ?? Interval(withUnit: text.filter { $0 != " " }),
      time < .seconds(1_000_000)
    else { throw value.unexpected(expected) }
    return .zero + time
  }

  /// Names the scenarios that have no name, and checks that all names differ.
  private func name(_ scenarios: inout [Scenario]) throws(NotationError) {
    var seen: Set<String> = []
    for index in scenarios.indices {
      if scenarios[index].name.isEmpty {
        scenarios[index].name =
          scenarios.count == 1 ? fileName : "\(fileName) \(index + 1)"
      }
      guard seen.insert(scenarios[index].name).inserted else {
        throw NotationError(
          scenarios[index].place,
          "two scenarios have the name \(PlainText.quoted(scenarios[index].name))")
      }
    }
  }
}
