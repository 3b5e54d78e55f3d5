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

  /// Checks the mapping of a rig, which is read later.
  private let checkRig: (Notation) throws(NotationError) -> Void

  /// `path` is used in messages and in the rules' places.
  package init(
    path: String, checkRig: @escaping (Notation) throws(NotationError) -> Void = { _ in }
  ) {
    self.path = path
    self.checkRig = checkRig
    let file = path.split(separator: "/").last ?? ""
    fileName = String(file.split(separator: ".").first ?? file)
  }

  /// Reads documents: each is a scenario, or has several under `scenarios`. The keys under
  /// `defaults` apply to the scenarios after them.
  package func scenarios(_ documents: [Notation]) throws(NotationError) -> [Scenario] {
    var defaults: [Notation.Member] = []
    var scenarios: [Scenario] = []
    var mistakes = Mistakes()
    for document in documents {
      mistakes.reading { () throws(NotationError) in
        try read(document, &defaults, into: &scenarios)
      }
    }
    mistakes.reading { () throws(NotationError) in try name(&scenarios) }
    try mistakes.check()
    return scenarios
  }

  private func read(
    _ document: Notation, _ defaults: inout [Notation.Member], into scenarios: inout [Scenario]
  ) throws(NotationError) {
    var mistakes = Mistakes()
    var expected = "a scenario: a mapping with run or send, and expect"
    if case .list = document { expected += "; a list of them stands under the key scenarios" }
    var members = try document.members(expected)
    if let index = members.firstIndex(where: { $0.key == "defaults" }) {
      let value = members.remove(at: index).value
      mistakes.reading { () throws(NotationError) in
        defaults = try value.members("a mapping of defaults")
        try Notation.check(defaults, Self.defaultKeys)
      }
      if members.isEmpty { return try mistakes.check() }
    }
    if let list = members.first(where: { $0.key == "scenarios" }) {
      if let other = members.first(where: { $0.key != "scenarios" }) {
        mistakes.add(other.unexpected("nothing but defaults next to \"scenarios\""))
      }
      for item in list.value.items {
        mistakes.reading { () throws(NotationError) in
          scenarios.append(
            try scenario(item.members("a scenario: a mapping"), defaults, item.place))
        }
      }
    } else {
      mistakes.reading { () throws(NotationError) in
        scenarios.append(try scenario(members, defaults, document.place))
      }
    }
    try mistakes.check()
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
    var mistakes = Mistakes()
    mistakes.reading { () throws(NotationError) in try Notation.check(own, Self.keys) }
    // What is missing can be what an unknown key was meant to be.
    let isKnown = mistakes.isEmpty
    func value(_ key: String) -> Notation? {
      (own.first { $0.key == key } ?? defaults.first { $0.key == key })?.value
    }
    /// Reads the value of a key, if it is there.
    func read<Value>(
      _ key: String, _ read: (Notation) throws(NotationError) -> Value
    ) -> Value? {
      guard let value = value(key) else { return nil }
      return mistakes.reading { () throws(NotationError) in try read(value) }
    }
    var rules: [Rule] = []
    let lists = [defaults, own].compactMap { $0.first { $0.key == "expect" } }
    var areRead = true
    for list in lists {
      let found = mistakes.reading { () throws(NotationError) in
        try RuleParser(path: path).rules(list.value)
      }
      if let found { rules += found } else { areRead = false }
    }
    if rules.isEmpty, isKnown, areRead {
      mistakes.add(NotationError(place, "expected \"expect\" with at least one rule"))
    }
    var sender: Scenario.Sender?
    if isKnown || ["run", "send", "rig"].contains(where: { value($0) != nil }) {
      sender = mistakes.reading { () throws(NotationError) in
        try self.sender(value("run"), value("send"), value("rig"), place)
      }
    }
    var scenario = Scenario(
      name: "", place: place, sender: sender ?? .bytes([]), rules: rules)
    scenario.name = read("name") { (value) throws(NotationError) in try value.text("a name") } ?? ""
    scenario.firmware = read("firmware") { (value) throws(NotationError) in
      guard let firmware = Firmware(rawValue: try value.text(Firmware.list)) else {
        throw value.unexpected(Firmware.list)
      }
      return firmware
    }
    scenario.profile = read("profile") { (value) throws(NotationError) in
      if case .text(let path, _) = value, !path.isEmpty { return .file(path) }
      return .own(try ProfileParser(name: "profile").profile(value))
    }
    scenario.device = read("device") { (value) throws(NotationError) in
      try value.text("a device, for example avr:build/my.elf")
    }
    let device = scenario.device
    scenario.options =
      read("options") { (value) throws(NotationError) in try boardOptions(value, device) } ?? []
    scenario.baud = read("baud") { (value) throws(NotationError) in try value.baud() }
    let hasProcess = scenario.hasProcess
    // Under defaults, it is for the scenarios that have a process.
    if sender != nil, !hasProcess, let pty = own.first(where: { $0.key == "pty" }) {
      mistakes.add(
        NotationError(pty.keyPlace, "\"pty\" requires \"run\": only a command opens a port"))
    }
    if hasProcess {
      scenario.pty = read("pty") { (value) throws(NotationError) in
        let path = try value.text("the path of the link to the pty, for example /tmp/turret")
        if path.isEmpty { throw value.unexpected("the path of the link to the pty") }
        return path
      }
    }
    scenario.timeout = read("timeout") { (value) throws(NotationError) in
      try value.text("a length of time") == "0" ? .zero : try value.duration()
    }
    scenario.length = read("for") { (value) throws(NotationError) in try value.duration() }
    scenario.faults =
      read("faults") { (value) throws(NotationError) in try value.faults() } ?? []
    scenario.seed = read("seed") { (value) throws(NotationError) in
      let expected = "a whole number"
      guard let number = UInt64(try value.text(expected)) else { throw value.unexpected(expected) }
      return number
    }
    if sender != nil {
      mistakes.reading { () throws(NotationError) in try checkSender(scenario) }
    }
    try mistakes.check()
    return scenario
  }

  /// Reads a mapping of options of an emulated board, each with a value or a list of values.
  private func boardOptions(
    _ value: Notation, _ device: String?
  ) throws(NotationError) -> [String] {
    let members = try value.members("a mapping of options, for example {rx-pin: D10}")
    try Notation.check(members, Self.boardOptions)
    guard device?.hasPrefix("avr:") == true else {
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
      if case .text = rig { return .rig(rig) }
      try checkRig(rig)
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
    var mistakes = Mistakes()
    for item in items {
      mistakes.reading { () throws(NotationError) in
        sent.append(try Self.sent(item, after: sent.last?.time ?? .zero))
      }
    }
    try mistakes.check()
    return sent
  }

  private static func sent(
    _ item: Notation, after last: Instant
  ) throws(NotationError) -> Scenario.Sent {
    guard case .list(let pair, _) = item, pair.count == 2 || pair.count == 4 else {
      throw item.unexpected(
        "a time and bytes, or a time and an input: [1.5, \"X90.\"], [2, set, D2, 1]")
    }
    let time = try time(pair[0])
    if time < last {
      throw NotationError(pair[0].place, "the time goes backwards, from \(last.text)")
    }
    if pair.count == 4 { return Scenario.Sent(time, .input(try input(pair[1], pair[2], pair[3]))) }
    let text = try pair[1].text("bytes in quotes").unicodeScalars
    let bytes = text.compactMap { UInt8(exactly: $0.value) }
    guard bytes.count == text.count else {
      throw pair[1].unexpected("bytes: characters up to U+00FF")
    }
    guard !bytes.isEmpty else { throw pair[1].unexpected("at least one byte") }
    return Scenario.Sent(time, .receive(bytes))
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
    var mistakes = Mistakes()
    for index in scenarios.indices {
      if scenarios[index].name.isEmpty {
        scenarios[index].name =
          scenarios.count == 1 ? fileName : "\(fileName) \(index + 1)"
      }
      if !seen.insert(scenarios[index].name).inserted {
        mistakes.add(
          NotationError(
            scenarios[index].place,
            "two scenarios have the name \(PlainText.quoted(scenarios[index].name))"))
      }
    }
    try mistakes.check()
  }
}
