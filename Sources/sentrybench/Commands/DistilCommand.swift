import ArgumentParser
import Files
import Sessions
import Traces
import Turret
import Verification

struct DistilCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "distil",
    abstract: "Make a short test from a session that went wrong.",
    discussion: """
      Finds the first thing that went wrong in a trace or a recording: a command that the sketch \
      took differently from what its sender meant, or an angle that it should not have commanded. \
      Searches for the smallest part of the session in which the same happens on the model, \
      rounds its times, and writes it as a trace that expects what --firmware does with the same \
      bytes. verify therefore fails until the sketch does that. Status 1: nothing went wrong, and \
      no trace is written.
      """)

  @Argument(help: "The trace or recording; - is standard input.")
  var file: String

  @Option(help: "The sketch that does what should have been done. Default: guarded.")
  var firmware = Firmware.guarded

  @Option(
    help: "Take the first thing that went wrong from this time on, for example 2.5s.",
    transform: TimeArgument.init)
  var since: TimeArgument?

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var length: LengthOptions
  @OptionGroup var talk: TalkOptions

  func run() throws {
    var reader = try TraceReader(path: file)
    talk.report(reader.notes, about: file)
    try length.limit(&reader)
    let uncertainty = reader.header.uncertainty ?? .zero
    let session = try SessionInputs(&reader)
    let start = Instant.zero + (since?.interval ?? .zero)
    let name = file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init)
    let source = "sentrybench distil, from \(name ?? file)"
    guard
      let test = DistilledTest.find(in: session, wanted: firmware, after: start, source: source)
    else {
      let place = since.map { " from \(String(readable: $0.interval)) on" } ?? ""
      throw Failure(
        .disagree,
        "\(file): nothing went wrong\(place): \(session.firmware) took each command as it was "
          + "meant, and its angles are those of \(firmware)")
    }
    var written = try OutputFile(output)
    try written.write(test.text)
    try written.finish()
    guard !talk.quiet else { return }
    let time = String(canonical: test.trouble.time.roundedUpToMicrosecond)
    Console.report("\(file): \(time) s: \(test.trouble.text)")
    Console.report(
      "\(file): \(test.inputCount) of \(String(counting: session.events.count, "input")) kept, "
        + "\(String(readable: test.duration)) of \(String(readable: session.end - .zero))")
    Console.report("\(file): \(outcome(of: test, session.firmware))")
    if uncertainty > .zero {
      Console.report(
        "\(file): the recorded times can be off by \(String(readable: uncertainty)); the test has "
          + "them as they were recorded. explain shows in how many timings the same happens")
    }
  }

  private func outcome(of test: DistilledTest, _ own: Firmware) -> String {
    guard let failure = test.failure else {
      return "\(own) passes this test, because \(firmware) does the same: the sender has to change"
    }
    return "\(own) fails this test: \(failure.message)"
  }
}
