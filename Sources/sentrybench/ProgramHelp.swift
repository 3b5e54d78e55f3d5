import ArgumentParser

/// The help of the program itself: its commands, by what they are for.
enum ProgramHelp {
  static let linesMax = 40

  static let groups = [
    CommandGroup(
      name: "Test a sender or a sketch",
      subcommands: [
        RunCommand.self, TestCommand.self, InitCommand.self, VerifyCommand.self,
        ReplayCommand.self, DiffCommand.self, ExploreCommand.self, ShrinkCommand.self,
        ContractCommand.self, PlaygroundCommand.self,
      ]),
    CommandGroup(
      name: "Find out what happened in the field",
      subcommands: [
        RecordCommand.self, ConvertCommand.self, ExplainCommand.self, DebugCommand.self,
        PlotCommand.self, ReportCommand.self, DistilCommand.self,
      ]),
    CommandGroup(
      name: "Work with boards and builds",
      subcommands: [
        PortsCommand.self, DoctorCommand.self, CalibrateCommand.self, ProfileCommand.self,
        GatewayCommand.self,
      ]),
    CommandGroup(
      name: "Aim with a camera",
      subcommands: [AimCommand.self, FollowCommand.self, RigCommand.self]),
  ]

  static var text: String {
    let commands = SentryBench.configuration.subcommands
    let width = commands.map { $0._commandName.count }.max() ?? 0
    var lines = [SentryBench.configuration.abstract, "", "USAGE: sentrybench <command> ..."]
    for group in groups {
      lines += ["", "\(group.name):"]
      for command in group.subcommands {
        let name = command._commandName
        let padding = String(repeating: " ", count: width - name.count + 2)
        lines.append("  \(name)\(padding)\(command.configuration.abstract)")
      }
    }
    lines.append("")
    lines += HelpSummary.wrapped(SentryBench.configuration.discussion, indent: 0)
    return lines.joined(separator: "\n")
  }
}

/// The exit statuses, which `help exit-codes` explains.
enum ExitCodes {
  static let topic = "exit-codes"

  /// Each meaning, with the statuses that have it.
  static let table: [(statuses: [Int], meaning: String)] = [
    ([0], "all agree"),
    ([1], "a trace disagrees"),
    ([64], "wrong usage"),
    ([65], "a malformed trace, recording or firmware file"),
    ([66], "no such input"),
    ([69], "a device is not available"),
    ([74], "reading or writing failed"),
    ([124], "the command after -- took too long"),
    ([130, 143], "ended by a signal"),
    ([141], "broken pipe"),
  ]

  /// A line for each status, and what else there is to know.
  static var text: String {
    let lines = table.flatMap { row in
      row.statuses.map { status in
        String(repeating: " ", count: 5 - "\(status)".count) + "\(status)  \(row.meaning)"
      }
    }
    let remark = """
      1 also means that an expectation or a scenario fails, or that a recording cannot decide. run \
      -- COMMAND ends with the command's own status if that is not 0; with 126 if it cannot be \
      started, and 127 if it is not found. Of several files, the worst status counts: 74, 69, 66, \
      65, 1.
      """
    return
      (["The statuses with which a command of sentrybench ends:", ""] + lines + [""]
      + HelpSummary.wrapped(remark, indent: 0)).joined(separator: "\n")
  }
}
