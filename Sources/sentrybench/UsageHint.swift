import ArgumentParser
import Judging
import Sessions

/// Recognises common mistakes in a command line that the argument parser refuses.
enum UsageHint {
  /// The commands that take another command after `--`.
  private static let hosts = ["run", "record"]

  /// Returns a message to use instead of the parser's; nil if that is good enough. `arguments` are
  /// those after the program's name.
  static func message(for arguments: [String]) -> String? {
    unknownCommand(arguments) ?? sketch(arguments) ?? forgottenTerminator(arguments)
      ?? unknownOption(arguments)
  }

  private static func unknownCommand(_ arguments: [String]) -> String? {
    let names = commands + ["help"]
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments.prefix(1)
    guard let name = words.first, !name.hasPrefix("-") else { return nil }
    if names.contains(name) {
      return words.count > 1 ? "There is no command '\(words.joined(separator: " "))'." : nil
    }
    let message = "There is no command '\(name)'."
    if let line = line(about: name) { return "\(message) \(line)" }
    let guessed = Guesses.commands.first { $0.guesses.contains(name) }?.command
    guard let meant = guessed ?? Nearest.name(to: name, among: names) else { return message }
    return message + " Did you mean '\(meant)'?"
  }

  /// What is usually done with a file or a port that stands in place of a command.
  private static func line(about path: String) -> String? {
    if SketchAdvice.isSource(path) { return capitalized(SketchAdvice.compiling(path)) + "." }
    let word = ShellWord.quoted(path)
    let words: String? =
      if SketchAdvice.isProgram(path) {
        "run --device avr:\(word)"
      } else if path.hasPrefix("/dev/") {
        "record --port \(word)"
      } else if [".yaml", ".yml"].contains(where: path.hasSuffix) {
        "test \(word)"
      } else if [".jsonl", ".sr", ".vcd", ".csv"].contains(where: path.hasSuffix) {
        "explain \(word)"
      } else {
        nil
      }
    return words.map { "Did you mean 'sentrybench \($0)'?" }
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// A sketch or its program where a command takes none, for example `run turret.ino`.
  private static func sketch(_ arguments: [String]) -> String? {
    let own = arguments.prefix { $0 != "--" }
    guard let host = own.first, hosts.contains(host),
      let path = own.dropFirst().first(where: { !$0.hasPrefix("-") }),
      refusal(of: Array(own)) == "Unexpected argument '\(path)'"
    else { return nil }
    if SketchAdvice.isSource(path), !path.hasSuffix(".c") {
      return capitalized(SketchAdvice.compiling(path)) + "."
    }
    guard SketchAdvice.isProgram(path) else { return nil }
    return capitalized(SketchAdvice.naming(path)) + "."
  }

  /// A sender's command without `--` before it. Its words are unexpected arguments, and its options
  /// are unknown ones.
  private static func forgottenTerminator(_ arguments: [String]) -> String? {
    guard let host = arguments.first, hosts.contains(host), !arguments.contains("--") else {
      return nil
    }
    for count in 2..<max(2, arguments.count + 1) {
      let word = arguments[count - 1]
      guard !word.hasPrefix("-") else { continue }
      let refusal = refusal(of: Array(arguments.prefix(count)))
      // Any other refusal can be due to an option whose value follows.
      guard refusal == "Unexpected argument '\(word)'" else { continue }
      let words = arguments.map(ShellWord.quoted)
      let (options, rest) = (words.prefix(count - 1), words.dropFirst(count - 1))
      return "Put -- before the sender's command: "
        + (["sentrybench"] + options + ["--"] + rest).joined(separator: " ")
    }
    return nil
  }

  // MARK: Unknown options

  private static let commands = SentryBench.configuration.subcommands.map { $0._commandName }

  /// The names of a command's options.
  static func options(of command: String) -> Set<String> {
    guard
      let type = SentryBench.configuration.subcommands.first(where: { $0._commandName == command })
    else { return [] }
    let help = SentryBench.helpMessage(for: type, columns: HelpSummary.unwrapped)
    return Set(HelpSummary(of: help).options.flatMap(\.nameList))
  }

  /// An option that the command does not have: what it is called here, or which commands have it.
  private static func unknownOption(_ arguments: [String]) -> String? {
    guard let command = arguments.first, commands.contains(command),
      let refusal = refusal(of: arguments)
    else { return nil }
    let names = options(of: command)
    guard let name = unknownName(refusal, arguments, among: names) else { return nil }
    let meant = Guesses.meant(by: name, among: names)
    if !meant.isEmpty {
      return "Unknown option '\(name)'. Did you mean "
        + meant.map { "'\($0)'" }.joined(separator: " or ") + "?"
    }
    let others = commands.filter { $0 != command && options(of: $0).contains(name) }
    if name.hasPrefix("--"), !others.isEmpty {
      return "'\(name)' is an option of \(list(others)), not of \(command)."
    }
    // What a guess means is known, and a name that only looks like it means something else.
    let isGuess = Guesses.options.contains { $0.guesses.contains(name) }
    let long = names.filter { $0.hasPrefix("--") }.sorted()
    let nearest = name.hasPrefix("--") && !isGuess ? Nearest.name(to: name, among: long) : nil
    if Guesses.outputs.contains(name), Guesses.printing.contains(command) {
      return "Unknown option '\(name)'. \(command) prints to standard output: add > FILE."
    }
    return "Unknown option '\(name)'" + (nearest.map { ". Did you mean '\($0)'?" } ?? "")
  }

  /// The option about which the parser complains. If it only misses something, an unknown option
  /// explains more.
  private static func unknownName(
    _ refusal: String, _ arguments: [String], among names: Set<String>
  ) -> String? {
    let beginning = "Unknown option '"
    if refusal.hasPrefix(beginning) {
      var name = String(refusal.dropFirst(beginning.count).prefix { $0 != "'" })
      // An option of two letters with its value, or a long one with one hyphen.
      if !name.hasPrefix("--"), name.count > 2 {
        let short = String(name.prefix(2))
        let isShort = Guesses.options.contains { $0.guesses.contains(short) }
        name = isShort && !names.contains("-" + name) ? short : "-" + name
      }
      return name
    }
    let known = names.union(["--version", "--help", "-h"])
    return arguments.prefix { $0 != "--" }.lazy.map { String($0.prefix { $0 != "=" }) }
      .first { word in
        let isShort = word.count == 2 && word.hasPrefix("-") && word.last?.isLetter == true
        return (isShort || word.hasPrefix("--")) && !known.contains(word)
      }
  }

  private static func list(_ names: [String]) -> String {
    names.count < 2
      ? names.joined()
      : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  /// Returns the parser's message about these arguments; nil if it accepts them.
  private static func refusal(of arguments: [String]) -> String? {
    do {
      _ = try SentryBench.parseAsRoot(arguments)
      return nil
    } catch {
      return SentryBench.message(for: error)
    }
  }
}
