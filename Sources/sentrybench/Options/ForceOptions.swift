import ArgumentParser
import Sessions

/// The option of commands that write files.
struct ForceOptions: ParsableArguments {
  @Flag(
    help: """
      Replace a file that sentrybench did not write. Also a trace, if the output is not one. A \
      file that the command reads is never replaced.
      """)
  var force = false

  func validate() { if force { Outputs.force() } }
}
