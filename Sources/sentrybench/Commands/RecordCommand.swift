import ArgumentParser
import Devices
import Serial
import Sessions
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
  var port: String?

  @Option(
    help: ArgumentHelp(
      "An emulated board in the place of the real one: avr:FILE.", valueName: "avr:FILE"))
  var device: String?

  @Option(help: "What is on the board: classic, buzzer or guarded.")
  var firmware = Firmware.guarded

  @Option(name: .shortAndLong, help: "Where the trace goes, line by line; - is standard output.")
  var output = "-"

  @OptionGroup var board: BoardOptions
  @OptionGroup var chip: AVROptions
  @OptionGroup var live: LiveOptions
  @OptionGroup var talk: TalkOptions

  private var chipPath: String? {
    guard let device, device.hasPrefix(DeviceOptions.chipPrefix) else { return nil }
    return String(device.dropFirst(DeviceOptions.chipPrefix.count))
  }

  func validate() throws {
    guard (port == nil) != (device == nil) else {
      throw ValidationError("Give the board's port with --port, or --device avr:FILE.")
    }
    if device != nil && chipPath?.isEmpty != false {
      throw ValidationError("--device takes avr:FILE here; a real board is named with --port.")
    }
    if port == nil && board.isGiven {
      throw ValidationError("--no-reset and --boot-time go with --port.")
    }
    if device == nil && chip.isGiven {
      throw ValidationError("--pin, --bootloader and --no-skip go with --device avr:FILE.")
    }
  }

  private func source() throws(Failure) -> any DeviceSource {
    if let chipPath { return try chip.source(path: chipPath) }
    return board.source(path: port ?? "")
  }

  func run() throws {
    var run = LiveRun(
      source: try source(), firmware: firmware, baud: live.baud ?? 9_600, options: live,
      talk: talk,
      recording: output == "-" ? nil : output)
    run.showsTrace = output == "-"
    run.mayShowView = output != "-"
    run.rejoins = true
    try run.run()
  }
}
