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
      A trace is one serial session with the board: its inputs, its outputs and their times. \
      COMMAND -h is a summary on one screen, COMMAND --help the complete description. Exit status: \
      0 all agree, 1 a trace disagrees, 64 wrong usage, 65 a malformed trace, recording or \
      firmware file, 66 no such input, 69 a device is not available, 74 reading or writing failed, \
      124 the command after -- took too long, 130 and 143 ended by a signal, 141 broken pipe.
      """,
    version: version,
    subcommands: [
      RunCommand.self, ReplayCommand.self, VerifyCommand.self, DiffCommand.self,
      ExplainCommand.self, PlotCommand.self, ReportCommand.self, RecordCommand.self,
      ConvertCommand.self, DistilCommand.self, ShrinkCommand.self, ExploreCommand.self,
      PortsCommand.self, DoctorCommand.self, CalibrateCommand.self, ContractCommand.self,
      ProfileCommand.self, GatewayCommand.self, FollowCommand.self, AimCommand.self,
      RigCommand.self,
      TestCommand.self, InitCommand.self, PlaygroundCommand.self,
    ])

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
      if arguments.first == "help", let hint = UsageHint.message(for: arguments) {
        refuse(arguments, ValidationError(hint))
      }
      do {
        try Console.write(Array("\(answer(to: arguments, error))\n".utf8))
        try Console.flush()
      } catch {
        error.exit()
      }
    }
  }

  /// What standard output gets for `--help`, `--version` and the like.
  private static func answer(to arguments: [String], _ request: any Error) -> String {
    let complete = fullMessage(for: request)
    let own = arguments.prefix { $0 != "--" }
    guard own.contains("-h"), !own.contains("--help"),
      complete.split(separator: "\n", omittingEmptySubsequences: false).count
        > HelpSummary.linesMax
    else { return complete }
    return HelpSummary(of: fullMessage(for: request, columns: HelpSummary.unwrapped)).text
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
