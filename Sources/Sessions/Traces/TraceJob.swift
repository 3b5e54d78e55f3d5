package import Captures
import Platform
package import Traces

/// A trace that a command reads, the device that it is about, and how much is said about them.
package struct TraceJob: Sendable {
  /// The path of the trace or recording; `-` is standard input.
  let trace: String
  let choice: DeviceChoice
  /// How a recording by another tool is read.
  let recording: CaptureOptions
  /// The longest session to accept; nil for any.
  let limit: SessionLimit?
  let verbosity: Verbosity

  package init(
    _ trace: String, on choice: DeviceChoice, _ recording: CaptureOptions, limit: SessionLimit?,
    _ verbosity: Verbosity
  ) throws(Failure) {
    // Before an output is opened, so that one onto the trace is refused before the work.
    try Outputs.spare([trace])
    self.trace = trace
    self.choice = choice
    self.recording = recording
    self.limit = limit
    self.verbosity = verbosity
  }

  func open() throws(TraceError) -> TraceInput {
    try TraceInput(path: trace, isReadAgain: true, options: recording)
  }
}
