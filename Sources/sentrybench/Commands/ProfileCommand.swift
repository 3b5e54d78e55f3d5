import ArgumentParser
import Devices
import Files
import Sessions
import Traces
import Turret
import Verification

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Propose a profile for a sketch of your own.",
    discussion: """
      Runs the sketch on an emulated ATmega328P and sends it the bytes of a session. Prints a \
      profile for --profile: the commands, the speed, the servos and pins, and what the sketch \
      sends at its start. Numbers in commands have the range that the session has, and the one in \
      which servos, tones or pins still follow when other numbers are tried. Comments say what was \
      seen. Check them: a session shows only what its sender used.
      """)

  /// As many events of a session are read.
  private static let eventsMax = 100_000

  @Argument(help: "The sketch, an .elf or .hex file.")
  var sketch: String

  @Option(help: "The session, a trace or a recording; - is standard input.")
  var learn: String

  @OptionGroup var chip: AVROptions

  @Option(name: .shortAndLong, help: "The output file; - is standard output.")
  var output = "-"

  @OptionGroup var talk: TalkOptions

  func run() throws {
    let source = try chip.source(path: sketch)
    var reader = try TraceReader(path: learn)
    talk.report(reader.notes, about: learn)
    var events: [Event] = []
    while events.count < Self.eventsMax, let event = try reader.next() {
      if event.isInput { events.append(event) }
    }
    var file = try OutputFile(output)
    let proposal = try ProfileLearner(source, header: reader.header, events: events).learn()
    talk.report(proposal.reasons.map { "left out: \($0)" }, about: sketch)
    guard proposal.isUsable else {
      throw Failure(
        .malformed,
        "\(learn): error: expected commands that a profile can express, found "
          + (proposal.commandCount == 0 ? "no bytes for the sketch" : "none"))
    }
    try file.write(Array(proposal.yaml(sketch: sketch, session: learn).utf8))
    try file.finish()
  }
}
