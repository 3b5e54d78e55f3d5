import ArgumentParser
import Sessions

/// The option of commands that write files.
struct ForceOptions: ParsableArguments {
  @Flag(
    help: """
      Replace an output file even if sentrybench did not write it, or if it is a trace and the \
      output is not. A file that the command reads is never replaced.
      """)
  var force = false

  func validate() { if force { Outputs.force() } }
}
