import ArgumentParser
import Serial
import Turret

/// How a real board is started.
struct BoardOptions: ParsableArguments {
  @Flag(
    help: """
      Do not restart the board; where a trace's comparison begins is then up to its first aim. \
      Opening a port restarts an Uno all the same unless DTR was left up: stty -F PORT -hupcl.
      """)
  var noReset = false

  @Option(
    help: """
      How long the board's bootloader takes before its sketch starts, for example 500ms. Default: \
      1s. For a port without DTR, a pty say, it also tells that opening the port restarts the board.
      """)
  var bootTime: TimeArgument?

  func validate() throws {
    if noReset && bootTime != nil {
      throw ValidationError("--boot-time has no meaning with --no-reset.")
    }
    if let bootTime, bootTime.interval > .seconds(60) {
      throw ValidationError("--boot-time is at most 60s.")
    }
  }

  var isGiven: Bool { noReset || bootTime != nil }

  func source(path: String) -> BoardSource {
    BoardSource(path: path, resets: !noReset, bootTime: bootTime?.interval)
  }
}
