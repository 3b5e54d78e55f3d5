import ArgumentParser
import Captures
import Sessions
import Traces
import Turret

/// Options for facts that another tool's recording does not contain.
struct CaptureOptionGroup: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The kind of the recording. Default: recognized from its content, whatever its name.
      """, valueName: "kind"))
  var from: ChoiceArgument<CaptureKind>?

  @Option(help: "The board's speed in bits a second. Default: 9600.")
  var baud: Int?

  @Option(
    help: """
      The sender's speed in bits a second, if it differs from the board's: its bytes then follow a \
      baud event.
      """)
  var senderBaud: Int?

  @Option(
    help: """
      The channel of the bytes to the board: its name, its index from 0, or an analyser's name. \
      Default: by name (rx, D0), otherwise the only one that can be decoded.
      """)
  var rxChannel: String?

  @Option(help: "The channel of the bytes from the board. Default: by name (tx, D1), as above.")
  var txChannel: String?

  @Option(help: "The channel of the servo's pulses. Default: by name (servo, D9).")
  var servoChannel: String?

  @Option(
    help: """
      Lines that idle low: rx, tx or both. By default a line that is low for 10 bits before and \
      after the bytes is inverted.
      """)
  var invert: ChoiceArgument<CaptureOptions.Inversion>?

  @Option(
    help: """
      The directions in a log: forward, as the tool names them, or reverse.
      """)
  var direction: ChoiceArgument<CaptureOptions.Direction>?

  @Option(
    help: ArgumentHelp(
      """
      The port, if there are several in the recording: a file descriptor (strace), a device of a \
      USB bus, or a COM port.
      """, valueName: "FD|BUS:DEV|COMn"))
  var port: String?

  @Option(
    parsing: .unconditional,
    help: """
      The time zone of a log's dates, for the trace's date only: for example Europe/Berlin, UTC or \
      +02:00.
      """,
    transform: TimeZoneArgument.init)
  var timezone: TimeZoneArgument?

  @Option(
    help: "Convert only what happened from this time of the recording on, for example 1.5s.",
    transform: TimeArgument.init)
  var since: TimeArgument?

  @Option(help: "Convert only what happened up to this time.", transform: TimeArgument.init)
  var until: TimeArgument?

  @Flag(
    help: """
      Accept a recording with truncated data or missing times. Otherwise it is an error that \
      states what is missing.
      """)
  var lossy = false

  func validate() throws {
    for (name, baud) in [("--baud", baud), ("--sender-baud", senderBaud)] {
      if let baud, !SerialLine.bauds.contains(baud) {
        throw ValidationError(
          "\(name) requires a speed from 1 to \(SerialLine.bauds.upperBound).")
      }
    }
    if let since, let until, until.interval <= since.interval {
      throw ValidationError(
        "--until must be later than --since: it is \(String(readable: until.interval)), and "
          + "--since is \(String(readable: since.interval)).")
    }
  }

  /// The options as values. `firmware` is the sketch on the recorded board.
  func options(firmware: Firmware?) -> CaptureOptions {
    var options = CaptureOptions()
    options.kind = from?.choice
    options.firmware = firmware
    options.baud = baud ?? options.baud
    options.senderBaud = senderBaud
    options.rxChannel = rxChannel
    options.txChannel = txChannel
    options.servoChannel = servoChannel
    options.inversion = invert?.choice
    options.direction = direction?.choice
    options.port = port
    options.since = since?.interval
    options.until = until?.interval
    options.isLossy = lossy
    return options
  }
}
