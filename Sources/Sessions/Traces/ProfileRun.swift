package import Captures
package import Devices
import Engine
import Judging
import Platform
import Sketches
import Traces

package enum ProfileRun {
  /// The maximum number of input events of a session that are used.
  private static let eventsMax = 100_000
  /// How much of the processor's time it takes to try.
  private static let time = Duration.seconds(50)
  /// After how long it shows what it does.
  private static let quietTime = Duration.seconds(2)

  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Proposes a profile for a user's sketch, from what it does with the bytes of a session.
  ///
  /// - Parameters:
  ///   - sketch: the path of the sketch, for messages.
  ///   - session: the path of the session, a trace or a recording; `-` is standard input.
  ///   - recording: how a recording by another tool is read.
  ///   - output: the path of the profile; `-` is standard output.
  package static func run(
    _ sketch: String, on source: some DeviceSource, learning session: String,
    _ recording: CaptureOptions, output: String, _ verbosity: Verbosity
  ) throws {
    var reader = try TraceReader(path: session, options: recording)
    verbosity.report(reader.notes, about: session)
    var events: [Event] = []
    while events.count < eventsMax, let event = try reader.next() {
      if event.isInput { events.append(event) }
    }
    var file = try OutputFile(output)
    let line = ChangingLine(isShown: verbosity != .quiet)
    let begin = ContinuousClock().now
    defer { line.clear() }
    let proposal = try ProfileLearner(
      source, header: reader.header, events: events, isOver: { processorTime >= time },
      report: { text in
        if ContinuousClock().now - begin >= quietTime { line.show("profile: \(text)") }
      }
    ).learn()
    line.clear()
    verbosity.report(proposal.leftOut.map { "left out: \($0)" }, about: sketch)
    // Without a command this is no profile, but its comments state what else was found.
    try file.write(Array(proposal.yaml(sketch: sketch, session: session).utf8))
    try file.finish()
    guard proposal.isUsable else {
      throw Failure(.malformed, "\(session): error: \(proposal.problem)")
    }
  }
}
