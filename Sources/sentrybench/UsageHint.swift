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
    unknownCommand(arguments) ?? forgottenTerminator(arguments)
  }

  private static func unknownCommand(_ arguments: [String]) -> String? {
    let names = SentryBench.configuration.subcommands.map { $0._commandName } + ["help"]
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments.prefix(1)
    guard let name = words.first, !name.hasPrefix("-") else { return nil }
    if names.contains(name) {
      return words.count > 1 ? "There is no command '\(words.joined(separator: " "))'." : nil
    }
    let message = "There is no command '\(name)'."
    guard let nearest = Nearest.name(to: name, among: names) else { return message }
    return message + " Did you mean '\(nearest)'?"
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
