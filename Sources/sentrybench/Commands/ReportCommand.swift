import ArgumentParser
import Devices
import Files
import Pictures
import Sessions
import Traces
import Turret
import Verification

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write one HTML file about a session.",
    discussion: """
      The file has the verdict, a picture that can be enlarged, a table of the commands with what \
      the sender meant and what the turret did, what became of the bytes, where trace and device \
      differ, the same session on guarded, and the trace itself to save. It needs no other file \
      and no network, and can be read without scripts. It is at most 1 MB long; what does not fit \
      is left out, and the file says so. The exit status is 0 whatever the verdict: verify is the \
      check.
      """)

  @Argument(help: "The trace; - is standard input.")
  var trace: String

  @OptionGroup var deviceOptions: DeviceOptions

  @Option(
    help: "The allowed error of an output's time, for example 200us. Overrides the trace's own.",
    transform: TimeArgument.init)
  var tolerance: TimeArgument?

  @OptionGroup var worldOptions: WorldOptions

  @Option(help: "The virtual servo: sg90 (default) or mg996r.")
  var servo = ServoArgument(data: .sg90)

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func run() throws {
    let source = try deviceOptions.source()
    let file = try ReportFile(output, by: SentryBench.program)
    let input = try TraceInput(path: trace, isReadAgain: true)
    var reader = try input.reader()
    talk.report(reader.notes, about: trace)
    try length.limit(&reader)
    let shown = deviceOptions.source(source, for: reader.header)
    let verdict = try verdict(&reader, on: shown)
    var session = try file.session(
      input, path: trace, divergence: verdict.divergence, firmware: deviceOptions.firmware,
      on: shown, named: shown is SilentSource ? nil : deviceOptions.device, servo: servo.data)
    session.remarks += reader.notes
    if let tolerance { session.set("Tolerance", String(readable: tolerance.interval)) }
    try file.write([ReportEntry(trace, verdict, session)])
  }

  private func verdict(
    _ reader: inout TraceReader, on source: some DeviceSource
  ) throws -> ReportVerdict {
    guard !(source is SilentSource) else {
      // The time of the last event is needed.
      while try reader.next() != nil {}
      return .notJudged
    }
    var verification = Verification()
    verification.firmware = deviceOptions.firmware
    verification.tolerance = tolerance?.interval
    let worlds = worldOptions.run
    let found: Verdict
    if let uncertainty = worlds.uncertainty(of: reader.header, on: source) {
      found = try worlds.judge(
        &reader, uncertainty: uncertainty, on: source, verification
      ).verdict
    } else {
      found = try verification.verify(&reader, on: source)
    }
    if case .deviceFailed(let error) = found.outcome { throw Failure(error, on: trace) }
    return ReportVerdict(found)
  }
}
