/// The help of `-h`, which fits on a small screen: what the command is for, how it is usually
/// called, and its commonest options.
///
/// What it says about options is from the text of `--help`, so that nothing is written twice. Of
/// each it has the beginning of the first sentence, as far as it fits on a line.
struct HelpSummary {
  static let linesMax = 24
  static let columns = 80
  /// How many options it lists.
  static let optionsMax = 10
  /// Rendered for this many columns, the complete help has each description on one line.
  static let unwrapped = 1_000_000

  /// The column in which the descriptions begin in the complete help.
  private static let labelColumns = 26
  /// The longest label here that still has its values.
  private static let labelMax = 24
  /// The shortest beginning of a sentence that stands for it.
  private static let lineMin = 12

  struct Option {
    var label: String
    var description: String

    /// The names without their values, for example `-v, --verbose`.
    var names: String { label.split(separator: " <").first.map(String.init) ?? label }

    /// The names one by one.
    var nameList: [String] { names.split { " ,".contains($0) }.map(String.init) }
  }

  private struct Section {
    var title: String
    var options: [Option] = []
  }

  private var overview = ""
  private var usage = ""
  private var sections: [Section] = []
  private let usual: UsualUse

  /// Reads the complete help, rendered for `unwrapped` columns.
  init(of help: String, _ usual: UsualUse = UsualUse()) {
    self.usual = usual
    for line in help.split(separator: "\n", omittingEmptySubsequences: true) {
      if line.hasPrefix("OVERVIEW: ") {
        overview = String(line.dropFirst(10))
      } else if line.hasPrefix("USAGE: ") {
        usage = String(line.dropFirst(7))
      } else if line.hasSuffix(":"), line == line.uppercased(), !line.hasPrefix(" ") {
        sections.append(Section(title: String(line.dropLast())))
      } else if let last = sections.indices.last, line.hasPrefix("  ") {
        let text = line.drop { $0 == " " }
        if line.hasPrefix("   "), let option = sections[last].options.indices.last {
          sections[last].options[option].description = String(text)
        } else {
          sections[last].options.append(Self.option(text))
        }
      }
    }
  }

  /// Separates the label from the description, which can be on the next line.
  private static func option(_ text: Substring) -> Option {
    let columns = labelColumns - 2
    guard text.count > columns, text.prefix(columns).last == " " else {
      return Option(label: String(text), description: "")
    }
    var label = text.prefix(columns)
    while label.last == " " { label.removeLast() }
    return Option(label: String(label), description: String(text.dropFirst(columns)))
  }

  /// The command's name with that of the program, for example `sentrybench run`.
  private var command: String {
    usage.split(separator: " ").prefix { !"[<-".contains($0.first ?? "-") }
      .joined(separator: " ")
  }

  /// The options of the command, without those that every command has.
  var options: [Option] {
    sections.filter { $0.title != "ARGUMENTS" }.flatMap(\.options)
      .filter { !["--version", "-h, --help"].contains($0.label) }
  }

  /// The commonest options, in the order in which they are listed; all if there are few.
  private var shown: [Option] {
    let all = options
    guard all.count > Self.optionsMax else { return all }
    return usual.options.compactMap { name in all.first { $0.nameList.contains(name) } }
  }

  var text: String {
    let shown = shown
    var lines = Self.wrapped(overview, indent: 0) + [""]
    lines += Self.wrapped("USAGE: \(usage)", indent: 7)
    if !usual.examples.isEmpty { lines += ["", "EXAMPLES:"] + usual.examples.map { "  \($0)" } }
    let isAll = shown.count == options.count
    if !shown.isEmpty {
      lines += ["", isAll ? "OPTIONS:" : "COMMON OPTIONS:"]
      let width = shown.map { Self.label($0).count }.max() ?? 0
      lines += shown.map { Self.line($0, width: width) }
    }
    lines.append("")
    if isAll { return (lines + ["\(command) --help tells more."]).joined(separator: "\n") }
    let groups = sections.map(\.title).filter { !["ARGUMENTS", "OPTIONS"].contains($0) }
    let names = groups.isEmpty ? "" : ": \(groups.map(Self.group).joined(separator: ", "))"
    lines += Self.wrapped(
      "\(command) --help tells more, and lists all options\(names).", indent: 2)
    return lines.joined(separator: "\n")
  }

  /// The name of a group, with what its options require.
  private static func group(_ title: String) -> String {
    title.lowercased() + (title == HelpGroup.chip.uppercased() ? " (avr:FILE)" : "")
  }

  /// The label, if necessary without the values.
  private static func label(_ option: Option) -> String {
    option.label.count > labelMax ? option.names : option.label
  }

  private static func line(_ option: Option, width: Int) -> String {
    let label = label(option)
    let padding = String(repeating: " ", count: width - label.count)
    let room = columns - width - 4
    return "  \(label)\(padding)  \(fitted(firstSentence(option.description), to: room))"
  }

  /// What begins a clause after a comma without which the sentence says less, but nothing wrong.
  private static let clauses: Set<Substring> = [
    "as", "even", "for", "in", "such", "which", "whose", "with",
  ]

  /// Returns as much of a sentence as fits: up to a clause if possible, otherwise up to a word.
  static func fitted(_ sentence: String, to columns: Int) -> String {
    guard sentence.count > columns else { return sentence }
    let words = sentence.split(separator: " ")
    var whole: String?
    var line = ""
    for (word, next) in zip(words, words.dropFirst()) {
      let longer = line.isEmpty ? String(word) : "\(line) \(word)"
      guard longer.count <= columns else { break }
      line = longer
      if word.hasSuffix(":") || word.hasSuffix(",") && clauses.contains(next) { whole = line }
    }
    if let whole, whole.count >= lineMin { return "\(whole.dropLast())." }
    while line.count > columns - 4, let space = line.lastIndex(of: " ") {
      line = String(line[..<space])
    }
    return line + " ..."
  }

  static func firstSentence(_ text: String) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard
      let end = words.indices.dropLast().first(where: { index in
        words[index].hasSuffix(".")
          && (words[index + 1].first?.isUppercase == true || words[index + 1].hasPrefix("\\"))
          || words[index + 1].hasPrefix("(default:") || words[index + 1].hasPrefix("(values:")
      })
    else { return text }
    return words[...end].joined(separator: " ")
  }

  /// Breaks a line between words. All lines but the first are indented.
  static func wrapped(_ text: String, indent: Int) -> [String] {
    var lines: [String] = []
    var rest = text[...]
    while rest.count > columns {
      let line = rest.prefix(columns + 1)
      guard let space = line.dropFirst(indent + 1).lastIndex(of: " ") else { break }
      lines.append(String(rest[..<space]))
      rest = rest[rest.index(after: space)...]
      rest = (String(repeating: " ", count: indent) + rest)[...]
    }
    return lines + [String(rest)]
  }
}

/// The headings under which the help lists options. All are defined here, so that an option has the
/// same heading in each command. Options without one are listed last.
enum HelpGroup {
  static let session = "Session"
  static let port = "Port"
  static let device = "Device"
  static let chip = "Emulated chip"
  static let network = "Network"
  static let access = "Network access"
  static let aiming = "Aiming"
  static let commands = "The sketch's commands"
  static let scenarios = "Scenarios"
  static let recording = "Reading recordings"
  static let worlds = "Uncertain times"
  static let judging = "Judging"
  static let output = "Output"
}
