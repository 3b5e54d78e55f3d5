import ArgumentParser
import Sessions

struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a first suite of scenarios and a CI file.",
    discussion: """
      Writes scenarios and a small sender into the folder, and a GitHub workflow into \
      .github/workflows. Existing files are kept.
      """)

  @Argument(help: "The folder of the scenarios. Default: scenarios.")
  var folder = SuiteTemplate.usualFolder

  func validate() throws {
    try UsageRule.check(UsageRule(brokenIf: folder.isEmpty, "The folder requires a name."))
  }

  func run() throws {
    let template = SuiteTemplate(folder: folder)
    for (file, isNew) in try template.write() {
      try Console.write("\(file.path): \(isNew ? "written" : "exists, kept")")
    }
    try Console.write("Next: sentrybench test \(template.folder)")
  }
}
