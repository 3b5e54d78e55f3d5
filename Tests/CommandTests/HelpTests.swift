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

  private static func usual(_ command: any ParsableCommand.Type) -> UsualUse {
    .of(command._commandName)
  }

  @Test(arguments: commands.indices)
  func `A summary fits on a small screen, with examples and the commonest options`(
    _ index: Int
  ) throws {
    let command = Self.commands[index]
    let help = HelpSummary(
      of: Self.help(command, columns: HelpSummary.unwrapped), Self.usual(command))
    let lines = Self.lines(help.text)
    #expect(lines.count <= HelpSummary.linesMax, "\(help.text)")
    #expect(lines.allSatisfy { $0.count <= HelpSummary.columns }, "\(help.text)")
    #expect(Self.usual(command).examples.count == 3)
    let all = help.options.map(\.nameList)
    #expect(
      lines.count { $0.hasPrefix("  -") } == min(all.count, HelpSummary.optionsMax),
      "\(help.text)")
    let more = "sentrybench \(command._commandName) --help tells more"
    #expect(lines.contains { $0.hasPrefix(more) }, "\(help.text)")
    for name in Self.usual(command).options {
      #expect(all.contains { $0.contains(name) }, "\(command._commandName) has no \(name)")
    }
  }

  /// The words of a command line, in which single quotes can be around some.
  private static func words(_ line: Substring) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
      index, part in
      index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }

  @Test(arguments: commands.indices)
  func `The parser accepts every example`(_ index: Int) {
    for example in Self.usual(Self.commands[index]).examples {
      let line = example.split(separator: " #")[0]
      for part in line.replacing(" && ", with: " | ").split(separator: " | ") {
        let words = Self.words(part)
        guard words.first == "sentrybench" else { continue }
        #expect(Refusal(of: Array(words.dropFirst())) == nil, "\(example)")
      }
    }
  }

  @Test func `The help of the program has each command once, in groups`() {
    let lines = Self.lines(ProgramHelp.text)
    #expect(lines.count <= ProgramHelp.linesMax, "\(ProgramHelp.text)")
    #expect(lines.allSatisfy { $0.count <= HelpSummary.columns }, "\(ProgramHelp.text)")
    for command in Self.commands {
      let name = command._commandName
      #expect(lines.count { $0.hasPrefix("  \(name) ") } == 1, "\(name)")
      #expect(UsualUse.table[name] != nil, "\(name)")
    }
    #expect(UsualUse.table.count == Self.commands.count)
    #expect(ProgramHelp.text.contains("help exit-codes"))
  }

  @Test(arguments: commands.indices)
  func `Only a command that can have a chip has its options`(_ index: Int) {
    let text = Self.help(Self.commands[index], columns: HelpSummary.unwrapped)
    guard text.contains("\n\(HelpGroup.chip.uppercased()):\n") else { return }
    #expect(text.contains("avr:FILE") || text.contains(".elf or .hex"))
  }

  @Test(arguments: ["run", "gateway", "replay", "test"])
  func `Each option of a long command has a heading`(_ name: String) throws {
    let command = try #require(Self.commands.first { $0._commandName == name })
    let text = Self.help(command, columns: HelpSummary.columns)
    let rest = try #require(text.components(after: "\nOPTIONS:\n"))
    #expect(Self.options(rest) == ["--version", "--help"])
    #expect(text.contains("\nOUTPUT:\n"))
  }

  @Test(arguments: [
    ("The file, e.g. a.txt. Required.", "The file, e.g. a.txt."),
    ("For example 1.5 s. (default: 2)", "For example 1.5 s."),
    ("Bytes to send. \\n stands for one byte.", "Bytes to send."),
    ("No end", "No end"),
  ])
  func `The first sentence stands for a description`(_ text: String, _ sentence: String) {
    #expect(HelpSummary.firstSentence(text) == sentence)
  }

  @Test(arguments: [
    ("Short.", "Short."),
    ("The session's end, for example 2 s after its start.", "The session's end."),
    ("What it does: this and that and whatever else there is.", "What it does."),
    ("Lost, junk, swallowed, abandoned, refused and so on.", "Lost, junk, swallowed, ..."),
  ])
  func `What does not fit is cut at a clause, or between words`(_ text: String, _ line: String) {
    #expect(HelpSummary.fitted(text, to: 30) == line)
  }

  @Test func `A summary of few options has all of them`() {
    let help = """
      OVERVIEW: Does it.

      USAGE: tool do [<options>] <file>

      ARGUMENTS:
        <file>                  The file.

      OUTPUT:
        -v, --verbose           Print more.
        --a-name-that-is-longer <than the column>
                                For example 1.5 s. (default: 2)

      OPTIONS:
        --version               Show the version.
        -h, --help              Show help information.
      """
    #expect(
      HelpSummary(of: help).text == """
        Does it.

        USAGE: tool do [<options>] <file>

        OPTIONS:
          -v, --verbose            Print more.
          --a-name-that-is-longer  For example 1.5 s.

        tool do --help tells more.
        """)
  }

  @Test func `All kinds of help are printed`() throws {
    let bench = try Bench()
    let short = try bench.run("run", "-h")
    #expect(short.status == 0 && short.errors.isEmpty)
    #expect(Self.lines(short.output).count <= HelpSummary.linesMax + 1)
    for arguments in [["run", "--help"], ["help", "run"], ["run", "-h", "--help"]] {
      let long = try bench.run(arguments)
      #expect(long.status == 0)
      #expect(Self.lines(long.output).count > 200)
    }
    for arguments in [[], ["-h"], ["--help"], ["help"]] {
      let outcome = try bench.run(arguments)
      #expect(outcome.status == 0)
      #expect(outcome.output == ProgramHelp.text + "\n")
    }
    let statuses = try bench.run("help", "exit-codes")
    #expect(statuses.status == 0)
    #expect(statuses.output == ExitCodes.text + "\n")
    #expect(statuses.output.contains("\n   64  wrong usage\n"))
    #expect(statuses.output.replacing("\n", with: " ").contains("69 also means that this computer"))
  }

  @Test(arguments: [
    (["rnu"], "There is no command 'rnu'. Did you mean 'run'?"),
    (["verfy", "a.jsonl"], "There is no command 'verfy'. Did you mean 'verify'?"),
    (["help", "rnu"], "There is no command 'rnu'. Did you mean 'run'?"),
    (["help", "nosuch"], "There is no command 'nosuch'."),
    (["help", "run", "fast"], "There is no command 'run fast'."),
    (["monitor"], "There is no command 'monitor'. Did you mean 'run'?"),
    (["distill", "a.jsonl"], "There is no command 'distill'. Did you mean 'distil'?"),
    (
      ["a.elf"],
      "There is no command 'a.elf'. Did you mean 'sentrybench run --device avr:a.elf'?"
    ),
    (
      ["/dev/ttyACM0", "9600"],
      "There is no command '/dev/ttyACM0'. Did you mean 'sentrybench record --port /dev/ttyACM0'?"
    ),
    (
      ["a.jsonl"], "There is no command 'a.jsonl'. Did you mean 'sentrybench explain a.jsonl'?"
    ),
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

/// What is said about an option that a command does not have.
@Suite struct HintTests {
  /// Command lines as people try them, and the option that is meant.
  static let guesses = [
    ("run --out", "--record"), ("plot --out", "--output"), ("report --output-file", "--output"),
    ("record --outfile", "--output"), ("test --output-dir", "--artifacts"),
    ("run --log-file", "--record"), ("run --serial-log-file", "--record"),
    ("record -L", "--output"), ("test --junitxml", "--junit"), ("run --junit-xml", "--junit"),
    ("verify --html-report", "--report"), ("plot --svg", "--output"), ("rig --png", "--picture"),
    ("convert --vcd", "--to"), ("plot --overwrite", "--force"), ("run -y", "--force"),
    ("run --silent", "--quiet"), ("run --debug", "--verbose"),
    ("run --port", "--device serial:PATH"), ("run -p", "--device serial:PATH"),
    ("run -P", "--device serial:PATH"), ("replay --serial-port", "--device serial:PATH"),
    ("aim --port", "--to"), ("run --link", "--pty"), ("run --baudrate", "--baud"),
    ("record --speed", "--baud"), ("run -b", "--baud"), ("aim --monitor-speed", "--baud"),
    ("replay --no-dtr", "--no-reset"), ("run --dtr", "--reset-on-open"),
    ("run --elf", "--device avr:FILE"), ("verify --hex", "--device avr:FILE"),
    ("run -U", "--device avr:FILE"), ("run --board", "--device avr:FILE"),
    ("run --fqbn", "--device avr:FILE"), ("replay --simulate", "--device avr:FILE"),
    ("run --sketch", "--firmware"), ("run --mcu", "--chip"), ("replay -m", "--chip"),
    ("run --freq", "--clock"), ("run --f-cpu", "--clock"), ("run --servo-pin", "--pin"),
    ("replay --watch", "--pins"), ("run --rx", "--rx-pin"), ("convert --rx", "--rx-pin"),
    ("run --button", "--set"), ("run --voltage", "--analog"), ("run --i2c", "--attach"),
    ("run --diagram-file", "--attach"), ("run --duration", "--for"), ("run -t", "--for"),
    ("replay --input", "--send"), ("run --loss", "--fault"), ("replay --error-rate", "--fault"),
    ("run --random-seed", "--seed"), ("explain --start", "--since"), ("explain --end", "--until"),
    ("run --web", "--http"), ("run --ws", "--websocket"), ("gateway --host", "--listen"),
    ("gateway --token", "--token-file"), ("gateway --cert", "--tls"), ("run --golden", "--expect"),
    ("run --expect-text", "--expect"), ("explore --reference", "--against"),
    ("run --assert", "--rules"), ("verify --pedantic", "--strict"), ("verify --tol", "--tolerance"),
    ("verify --accept", "--update"), ("test -k", "--filter"), ("test --match", "--filter"),
    ("test --lf", "--rerun failed"), ("test --last-failed", "--rerun failed"),
    ("test --count", "--repeat"), ("explore --exitfirst", "--first"), ("test -n", "--jobs"),
    ("verify --workers", "--jobs"), ("test --collect-only", "--list"),
    ("verify --split", "--shard"), ("aim --fps", "--rate"), ("aim --flip", "--mirror"),
    ("aim --confidence", "--min-confidence"), ("aim --target", "--to"), ("rig --param", "--with"),
    ("rig --grid", "--sweep"), ("shrink --max-time", "--timeout"), ("run --time", "--for"),
  ]

  @Test(arguments: guesses)
  func `A guess leads to an option that the command has`(_ line: String, _ meant: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let message = try #require(UsageHint.message(for: words + ["value"]))
    #expect(message.hasPrefix("Unknown option '\(words[1])'. Did you mean '\(meant)'"))
    let name = String(meant.prefix { $0 != " " })
    #expect(UsageHint.options(of: words[0]).contains(name))
  }

  @Test func `Nothing is guessed twice, and each guess can mean an option of some command`() {
    let all = Guesses.options.flatMap(\.guesses)
    #expect(all.count == Set(all).count)
    let commands = SentryBench.configuration.subcommands.map { $0._commandName }
    let names = commands.map { UsageHint.options(of: $0) }
    for (guesses, meant) in Guesses.options {
      for option in meant {
        let name = String(option.prefix { $0 != "=" })
        #expect(names.contains { $0.contains(name) }, "\(guesses)")
      }
    }
    for (guesses, command) in Guesses.commands {
      #expect(commands.contains(command))
      #expect(!guesses.contains { commands.contains($0) }, "\(guesses)")
    }
  }

  @Test(arguments: [
    (
      ["report", "a.jsonl", "--rules", "b.yaml"],
      "'--rules' is an option of run, verify, explore, shrink and contract, not of report."
    ),
    (["ports", "--learn", "a"], "'--learn' is an option of profile, not of ports."),
    (["verify", "--tolerence", "a"], "Unknown option '--tolerence'. Did you mean '--tolerance'?"),
    (["verify", "--nonsense"], "Unknown option '--nonsense'"),
    (
      ["explain", "--out", "a", "b"],
      "Unknown option '--out'. explain prints to standard output: add > FILE."
    ),
    (
      ["verify", "--out", "a", "b"],
      "Unknown option '--out'. Did you mean '--report' or '--junit'?"
    ),
    (["test", "--html", "a", "b"], "Unknown option '--html'. Did you mean '--report'?"),
    (
      ["run", "-port", "a"], "Unknown option '-p'. Did you mean '--device serial:PATH' or '--pty'?"
    ),
    (["run", "--baudrate=9600"], "Unknown option '--baudrate'. Did you mean '--baud'?"),
  ])
  func `An option of another command names that, and a typing error the right one`(
    _ arguments: [String], _ message: String
  ) {
    #expect(UsageHint.message(for: arguments) == message)
  }

  @Test(arguments: ["turret.ino", "src/main.cpp"])
  func `A sketch's source says how it becomes a program`(_ path: String) throws {
    let message = try #require(UsageHint.message(for: ["run", path]))
    for text in ["arduino-cli compile", "Export Compiled Binary", ".pio/build", "--device avr:"] {
      #expect(message.contains(text), "\(message)")
    }
  }

  @Test func `A program in place of a sender is named as a device`() {
    #expect(
      UsageHint.message(for: ["run", "build/turret.elf"])
        == "A program for the emulated chip is given as --device avr:build/turret.elf.")
  }

  @Test func `A program and a source as a device say what they are called`() throws {
    let bench = try Bench()
    let program = try bench.run("replay", "--send", "L", "--device", "turret.elf")
    #expect(program.status == 64)
    #expect(program.errors.contains("; a program for the emulated chip is given as --device avr:"))
    let source = try bench.script(
      "echo 'void setup() {}' >turret.ino; $BENCH replay --send L --device avr:turret.ino")
    #expect(source.status == 65)
    #expect(source.errors.hasPrefix("turret.ino: error: expected an .elf or .hex file: "))
  }

  @Test func `A list of values is one line`() throws {
    let outcome = try Bench().run("explain", "a.sr", "--from", "foo")
    #expect(outcome.status == 64)
    #expect(!outcome.errors.contains("\\n"))
    #expect(outcome.errors.contains("one of the following: sr, vcd, sigrok-csv, "))
  }
}

extension String {
  /// The text after the first occurrence of another.
  fileprivate func components(after text: String) -> String? {
    firstRange(of: text).map { String(self[$0.upperBound...]) }
  }
}
