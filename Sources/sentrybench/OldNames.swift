import Sessions

/// The former names of options. They are rewritten before the arguments are parsed, so that scripts
/// with them work as before and nothing else has to know them.
struct OldNames {
  private struct Row {
    let old: String
    /// Whether it had a value.
    var hasValue = true
    let option: String
    /// What comes before the value, or in place of one.
    var text = ""
    /// The commands that had it.
    let commands: [String]
  }

  private static let servers = ["run", "gateway"]
  /// The commands whose device can be an emulated board.
  private static let chips = [
    "run", "replay", "verify", "explain", "plot", "report", "record", "convert", "shrink",
    "explore", "calibrate", "contract", "profile", "gateway", "follow", "rig",
  ]

  private static let table = [
    Row(old: "--camera-face", option: "--camera", text: "face=", commands: ["run"]),
    Row(old: "--camera-background", option: "--camera", text: "background=", commands: ["run"]),
    Row(old: "--camera-device", option: "--camera", text: "device=", commands: ["run"]),
    Row(old: "--dead-time", option: "--boot-time", commands: ["run"]),
    Row(old: "--adc-seed", option: "--adc-noise", text: "seed=", commands: chips),
    Row(old: "--max-clients", option: "--limits", text: "clients=", commands: servers),
    Row(old: "--max-message", option: "--limits", text: "message=", commands: servers),
    Row(old: "--max-rate", option: "--limits", text: "rate=", commands: servers),
    Row(old: "--idle-timeout", option: "--limits", text: "idle=", commands: servers),
    Row(old: "--tls-cert", option: "--tls", text: "cert=", commands: servers),
    Row(old: "--tls-key", option: "--tls", text: "key=", commands: servers),
    Row(
      old: "--tls-self-signed", hasValue: false, option: "--tls", text: "self-signed",
      commands: servers),
    Row(
      old: "--allow-anonymous", hasValue: false, option: "--allow", text: "anonymous",
      commands: servers),
    Row(old: "--allow-origin", option: "--allow", text: "origin=", commands: servers),
    Row(
      old: "--remote-detector", hasValue: false, option: "--allow", text: "remote-detector",
      commands: servers),
  ]

  /// The arguments with the present names.
  private(set) var arguments: [String] = []
  /// A sentence for each old name, when it first occurs.
  private(set) var notices: [String] = []

  /// `given` are the arguments after the program's name. Those after `--` are another command's.
  init(in given: [String]) {
    let own = given.prefix { $0 != "--" }
    var rest = own
    var reported: Set<String> = []
    while let argument = rest.popFirst() {
      let name = String(argument.prefix { $0 != "=" })
      let row = Self.table.first { $0.old == name && $0.commands.contains(given[0]) }
      guard let row else {
        arguments.append(argument)
        continue
      }
      var value = name == argument ? nil : String(argument.dropFirst(name.count + 1))
      // What looks like an option is no value, and then the parser says that the value is missing.
      if row.hasValue, value == nil, let next = rest.first, next == "-" || !next.hasPrefix("-") {
        value = rest.popFirst()
      }
      let words = [row.option] + Self.text(row, value)
      arguments += words
      if reported.insert(name).inserted {
        let old = ([name] + (value.map { [$0] } ?? [])).map(ShellWord.quoted)
        notices.append(
          "\(old.joined(separator: " ")) is now written "
            + words.map(ShellWord.quoted).joined(separator: " "))
      }
    }
    arguments += given[own.endIndex...]
  }

  /// Returns the value of the present option; none if the old one has none, although it had.
  private static func text(_ row: Row, _ value: String?) -> [String] {
    if !row.hasValue { return [value.map { "\(row.text)=\($0)" } ?? row.text] }
    guard let value else { return [] }
    return [row.text.isEmpty ? value : row.text + value.replacing(",", with: "\\,")]
  }
}
