import ArgumentParser
import Devices
import Engine
import Logging
import Platform
import Serial
import Sessions
import SystemPackage
import Traces

@main
struct SentryBench: ParsableCommand {
  static let version = "0.1.0"
  /// The program's name and version, for files that it writes.
  static let program = "sentrybench \(version)"

  static let configuration = CommandConfiguration(
    commandName: "sentrybench",
    abstract: "A test bench for a serial-controlled Arduino servo turret, without the turret.",
    discussion: """
      COMMAND -h is a summary, COMMAND --help tells everything, help exit-codes explains the exit \
      statuses. A trace is one serial session with the board: its inputs, its outputs and their \
      times.
      """,
    version: version,
    groupedSubcommands: ProgramHelp.groups)

  /// How many descriptors must be free: with fewer, hardly any command can do its work.
  private static let descriptorsMin = 4

  static func main() {
    Signals.install()
    let old = OldNames(in: Array(CommandLine.arguments.dropFirst()))
    let arguments = old.arguments
    do {
      if let (opened, why) = FileDescriptor.opening(descriptorsMin) {
        throw Failure(
          .unavailable,
          "error: sentrybench requires \(descriptorsMin) file descriptors, and only \(opened) can "
            + "be opened (\(why)): raise the limit with `ulimit -n 1024`")
      }
      Outputs.begin()
      if !old.notices.isEmpty { prepareMessages(arguments) }
      for notice in old.notices { Console.remark(notice) }
      if arguments == ["help", ExitCodes.topic] {
        throw CleanExit.message(ExitCodes.text)
      }
      var command = try parseAsRoot(arguments)
      try command.run()
      try Console.flush()
      Console.drain()
    } catch let failure as Failure {
      if failure.isMisuse { refuse(arguments, ValidationError(failure.message)) }
      failure.exit()
    } catch let error as TraceError {
      Failure(error).exit()
    } catch let error as DeviceError {
      Failure(error).exit()
    } catch let error as SerialError {
      Failure(error).exit()
    } catch {
      guard exitCode(for: error) == .success else { refuse(arguments, error) }
      // For a command that does not exist, the parser's help is that of the program.
      if arguments.first == "help", arguments != ["help", ExitCodes.topic],
        let hint = UsageHint.message(for: arguments)
      {
        refuse(arguments, ValidationError(hint))
      }
      do {
        let text = "\(answer(to: arguments, error))\n"
        if !isLongHelp(arguments) || !Pager.current.show(text) {
          try Console.write(Array(text.utf8))
        }
        try Console.flush()
      } catch {
        error.exit()
      }
    }
  }

  /// What standard output gets for `--help`, `--version` and the like.
  private static func answer(to arguments: [String], _ request: any Error) -> String {
    let complete = fullMessage(for: request)
    if complete == helpMessage() { return ProgramHelp.text }
    let own = arguments.prefix { $0 != "--" }
    guard own.contains("-h"), !own.contains("--help") else { return complete }
    let unwrapped = fullMessage(for: request, columns: HelpSummary.unwrapped)
    let command = own.first { !$0.hasPrefix("-") && $0 != "help" } ?? ""
    return HelpSummary(of: unwrapped, .of(command)).text
  }

  /// Whether the arguments request the complete help, which is longer than a screen.
  private static func isLongHelp(_ arguments: [String]) -> Bool {
    arguments.first == "help" || arguments.prefix { $0 != "--" }.contains("--help")
  }

  static var _errorPrefix: String { "error: " }

  /// Reports wrong usage and ends the process.
  private static func refuse(_ arguments: [String], _ error: any Error) -> Never {
    prepareMessages(arguments)
    Failure(parsing: error, hint: UsageHint.message(for: arguments)).exit()
  }

  /// Lets the messages before a command's own be JSON, if it was requested.
  private static func prepareMessages(_ arguments: [String]) {
    guard LogOptions.asksForJSON(arguments) else { return }
    Console.sendMessages(through: BenchLog(.json, level: .info))
  }
}
