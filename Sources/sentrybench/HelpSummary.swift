/// The help of `-h`: what `--help` says, reduced to one screen.
///
/// It is made from the text of `--help`, so that nothing is written twice. Of each option it has
/// the first sentence, or a line of it. If that is still too long, groups of rarely used options
/// are reduced to names.
struct HelpSummary {
  static let linesMax = 60
  static let columns = 80
  /// Rendered for this many columns, the complete help has each description on one line.
  static let unwrapped = 1_000_000

  private static let labelColumns = 26

  private struct Option {
    var label: String
    var description: String

    /// The names without their values, for example `-v, --verbose`.
    var names: String { label.split(separator: " <").first.map(String.init) ?? label }
  }

  private struct Section {
    var title: String
    var options: [Option] = []
  }

  private var overview = ""
  private var usage = ""
  private var sections: [Section] = []

  /// Reads the complete help, rendered for `unwrapped` columns.
  init(of help: String) {
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

  var text: String {
    var reduced: Set<String> = []
    var lines = lines(reducing: reduced)
    for group in HelpGroup.rare where lines.count > Self.linesMax {
      reduced.insert(group.uppercased())
      lines = self.lines(reducing: reduced)
    }
    return lines.joined(separator: "\n")
  }

  private func lines(reducing reduced: Set<String>) -> [String] {
    var lines = Self.wrapped(overview, indent: 0) + [""]
    lines += Self.wrapped("USAGE: \(usage)", indent: 7)
    var isList = false
    for section in sections {
      let options = section.options.filter { !Self.general.contains($0.label) }
      guard !options.isEmpty else { continue }
      let isReduced = reduced.contains(section.title)
      if !isReduced || !isList { lines.append("") }
      isList = isReduced
      if isReduced {
        let names = options.map(\.names).joined(separator: ", ")
        lines += Self.wrapped("\(section.title): \(names)", indent: 2)
      } else {
        lines.append("\(section.title):")
        lines += options.map(Self.line)
      }
    }
    return lines + [""] + Self.wrapped("All about each option: \(command) --help", indent: 0)
  }

  /// The options of every command.
  private static let general = ["--version", "-h, --help"]

  /// The label, if necessary without the values, and as much of the first sentence as fits.
  private static func line(_ option: Option) -> String {
    let label = option.label.count > labelColumns - 3 ? option.names : option.label
    let padding = String(repeating: " ", count: max(1, labelColumns - 2 - label.count))
    let text = "  \(label)\(padding)\(firstSentence(option.description))"
    guard text.count > columns else { return text }
    var line = wrapped(text, indent: labelColumns, columns: columns - 4)[0]
    while ",;:".contains(line.last ?? " ") { line.removeLast() }
    return line + " ..."
  }

  static func firstSentence(_ text: String) -> String {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard
      let end = words.indices.dropLast().first(where: { index in
        words[index].hasSuffix(".") && words[index + 1].first?.isUppercase == true
          || words[index + 1].hasPrefix("(default:") || words[index + 1].hasPrefix("(values:")
      })
    else { return text }
    return words[...end].joined(separator: " ")
  }

  /// Breaks a line between words. All lines but the first are indented.
  private static func wrapped(
    _ text: String, indent: Int, columns: Int = Self.columns
  ) -> [String] {
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

  /// The groups that a summary first reduces to the names of their options, in this order.
  static let rare = [chip, access, worlds, recording, network, port, commands]
}
