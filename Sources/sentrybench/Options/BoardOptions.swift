import ArgumentParser
import Serial
import Turret

/// Options for starting a real board.
struct BoardOptions: ParsableArguments {
  @Flag(
    help: """
      Do not restart the board. A trace is then compared from its first aim on. Opening a port \
      still restarts an Uno unless DTR was left set: stty -F PORT -hupcl.
      """)
  var noReset = false

  @Option(
    help: """
      How long the board's bootloader takes before its sketch starts, for example 500ms. Default: \
      1s. For a port without DTR, such as a pty, it also declares that opening the port restarts \
      the board. With run --rfc2217 it applies to any device that the client restarts.
      """,
    transform: TimeArgument.init)
  var bootTime: TimeArgument?

  func validate() throws {
    if noReset && bootTime != nil {
      throw ValidationError("--boot-time cannot be combined with --no-reset.")
    }
    if let bootTime, bootTime.interval > .seconds(60) {
      throw ValidationError("--boot-time must be at most 60s.")
    }
  }

  var isGiven: Bool { noReset || bootTime != nil }

  func source(at place: any BoardPlace) -> BoardSource {
    BoardSource(at: place, resets: !noReset, bootTime: bootTime?.interval)
  }
}
