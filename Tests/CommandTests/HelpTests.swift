import ArgumentParser
import Testing

@testable import sentrybench

/// The help of each command, and what is said about a command that does not exist.
@Suite struct HelpTests {
  private static let commands = SentryBench.configuration.subcommands

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The names of the options in a text, without those of examples.
  private static func options(_ text: String) -> Set<Substring> {
    Set(
      lines(text).filter { $0.hasPrefix("  -") }
        .flatMap { $0.split { " ,".contains($0) }.filter { $0.hasPrefix("--") } })
  }

  private static func help(_ command: any ParsableCommand.Type, columns: Int) -> String {
    SentryBench.helpMessage(for: command, columns: columns)
  }

  @Test(arguments: commands.indices)
  func `A summary fits on a screen and names every option`(_ index: Int) {
    let command = Self.commands[index]
    let complete = Self.help(command, columns: HelpSummary.columns)
    let summary = HelpSummary(of: Self.help(command, columns: HelpSummary.unwrapped)).text
    let lines = Self.lines(summary)
    #expect(lines.count <= HelpSummary.linesMax)
    #expect(lines.allSatisfy { $0.count <= HelpSummary.columns }, "\(summary)")
    // Each label is followed by its description at most once.
    for line in Self.lines(complete) where line.hasPrefix("  -") {
      for name in line.split(whereSeparator: { " ,".contains($0) }).prefix(2)
      where name.hasPrefix("--") && name != "--version" {
        #expect(summary.contains(name), "\(name) is not in\n\(summary)")
      }
    }
    let usage = complete.split(separator: "USAGE: ")[1].prefix { $0 != "[" && $0 != "<" }
    let name = usage.split(whereSeparator: \.isWhitespace).prefix(2).joined(separator: " ")
    #expect(lines.last == "All about each option: \(name) --help")
  }

  @Test(arguments: ["run", "gateway", "replay", "test"])
  func `Each option of a long command has a heading`(_ name: String) throws {
    let command = try #require(Self.commands.first { $0._commandName == name })
    let text = Self.help(command, columns: HelpSummary.columns)
    let rest = try #require(text.components(after: "\nOPTIONS:\n"))
    #expect(Self.options(rest) == ["--version", "--help"])
    #expect(text.contains("\nOUTPUT:\n"))
  }

  @Test func `A summary has the first sentence, and rare groups only by name`() {
    let group = HelpGroup.rare[0].uppercased()
    let rare = (1...60).map { "  --rare-\($0) <x>           A rare option. It has a story.\n" }
    let help = """
      OVERVIEW: Does it.

      At length.

      USAGE: tool do [<options>] <file>

      ARGUMENTS:
        <file>                  The file, e.g. a.txt. Required.

      OUTPUT:
        -v, --verbose           Print more.
        --a-name-that-is-longer <than the column>
                                For example 1.5 s. (default: 2)
        --long <text>           A sentence that is much longer than what fits in one line, and goes on.

      OPTIONS:
        --version               Show the version.
        -h, --help              Show help information.

      \(group):
      \(rare.joined())
      """
    let text = HelpSummary(of: help).text
    #expect(
      text.hasPrefix(
        """
        Does it.

        USAGE: tool do [<options>] <file>

        ARGUMENTS:
          <file>                  The file, e.g. a.txt.

        OUTPUT:
          -v, --verbose           Print more.
          --a-name-that-is-longer For example 1.5 s.
          --long <text>           A sentence that is much longer than what fits in ...

        \(group): --rare-1, --rare-2,
        """), "\(text)")
    #expect(text.hasSuffix("\nAll about each option: tool do --help"))
    #expect(!text.contains("story"))
  }

  @Test func `Both kinds of help are printed, and only one is short`() throws {
    let bench = try Bench()
    let short = try bench.run("run", "-h")
    #expect(short.status == 0 && short.errors.isEmpty)
    #expect(Self.lines(short.output).count <= HelpSummary.linesMax + 1)
    for arguments in [["run", "--help"], ["help", "run"], ["run", "-h", "--help"]] {
      let long = try bench.run(arguments)
      #expect(long.status == 0)
      #expect(Self.lines(long.output).count > 200)
    }
    // A short help needs no summary.
    #expect(try bench.run("ports", "-h").output == bench.run("ports", "--help").output)
  }

  @Test(arguments: [
    (["rnu"], "There is no command 'rnu'. Did you mean 'run'?"),
    (["verfy", "a.jsonl"], "There is no command 'verfy'. Did you mean 'verify'?"),
    (["help", "rnu"], "There is no command 'rnu'. Did you mean 'run'?"),
    (["help", "nosuch"], "There is no command 'nosuch'."),
    (["help", "run", "fast"], "There is no command 'run fast'."),
  ])
  func `A command that does not exist is an error`(_ arguments: [String], _ message: String) throws
  {
    let outcome = try Bench().run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("error: \(message)\nUsage: "), "\(outcome)")
  }

  @Test(arguments: [["help"], ["help", "run"], ["help", "help"], ["help", "--help"]])
  func `Help for what exists is no error`(_ arguments: [String]) {
    #expect(UsageHint.message(for: arguments) == nil)
  }
}

extension String {
  /// The text after the first occurrence of another.
  fileprivate func components(after text: String) -> String? {
    firstRange(of: text).map { String(self[$0.upperBound...]) }
  }
}
