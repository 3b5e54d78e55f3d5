package import Captures
package import Devices
import Engine
import Judging
import Platform
import Sketches
import Traces

/// Proposes a profile for a user's sketch, from what it does with the bytes of a session.
package struct ProfileRun {
  /// The maximum number of input events of a session that are used.
  private static let eventsMax = 100_000

  private let sketch: String
  private let session: String
  private let output: String
  /// How a recording by another tool is read.
  package var recording = CaptureOptions()
  package var verbosity = Verbosity.normal

  /// - Parameters:
  ///   - sketch: the path of the sketch, for messages.
  ///   - session: the path of the session, a trace or a recording; `-` is standard input.
  ///   - output: the path of the profile; `-` is standard output.
  package init(_ sketch: String, learning session: String, output: String) {
    self.sketch = sketch
    self.session = session
    self.output = output
  }

  package func run(on source: some DeviceSource) throws {
    var reader = try TraceReader(path: session, options: recording)
    verbosity.report(reader.notes, about: session)
    var events: [Event] = []
    while events.count < Self.eventsMax, let event = try reader.next() {
      if event.isInput { events.append(event) }
    }
    var file = try OutputFile(output)
    let proposal = try ProfileLearner(source, header: reader.header, events: events).learn()
    verbosity.report(proposal.leftOut.map { "left out: \($0)" }, about: sketch)
    // Without a command this is no profile, but its comments state what else was found.
    try file.write(Array(proposal.yaml(sketch: sketch, session: session).utf8))
    try file.finish()
    guard proposal.isUsable else {
      throw Failure(
        .malformed,
        "\(session): error: expected commands that a profile can express, found "
          + (proposal.commandCount == 0 ? "no bytes for the sketch" : "none"))
    }
  }
}
