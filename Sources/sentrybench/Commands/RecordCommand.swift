import ArgumentParser
import Bench
import Serial
import Turret

struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Sit between a sender and a real board and write down what passes.",
    discussion: """
      The sender opens the pty instead of the board; what it sends goes on to the board, what the \
      board says comes back, and both are written down. From a board with guarded, servo events \
      are written too: the bench has it report its writes and hides that from the sender. When the \
      board is unplugged, the recording says so (a mark), keeps what the sender goes on sending \
      (x-unsent), and goes on when the board is back, which is found by its USB serial number.
      """)

  @Option(help: "The board's serial port.")
  var port: String

  @Option(help: "What is on the board: classic, buzzer or guarded.")
  var firmware = Firmware.guarded

  @Option(name: .shortAndLong, help: "Where the trace goes, line by line; - is standard output.")
  var output = "-"

  @OptionGroup var board: BoardOptions
  @OptionGroup var live: LiveOptions
  @OptionGroup var talk: TalkOptions

  func run() throws {
    var run = LiveRun(
      source: board.source(path: port), firmware: firmware, baud: live.baud ?? 9_600, options: live,
      talk: talk,
      recording: output == "-" ? nil : output)
    run.showsTrace = output == "-"
    run.mayShowView = output != "-"
    run.rejoins = true
    try run.run()
  }
}
