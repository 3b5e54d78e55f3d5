package import Captures
import Judging
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

  /// A trace of which is known what is wrong with it.
  struct Examined: ~Copyable {
    let input: TraceInput
    /// At the trace's start.
    var reader: TraceReader
    /// Nil if it is a pipe that has been read already.
    let facts: RecordingFacts?
    let progress: Progress
  }

  /// Opens the trace and examines it. `times` is how often it is read, with this one.
  func examine(times: Int) throws -> Examined {
    var input = try open()
    let progress = Progress(reading: &input, times: times, isShown: verbosity != .quiet)
    defer { progress.clear() }
    var reader = try input.reader()
    try reader.limit(to: limit)
    let facts = try input.facts(on: choice)
    return Examined(input: input, reader: reader, facts: facts, progress: progress)
  }
}
