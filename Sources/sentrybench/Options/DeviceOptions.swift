import ArgumentParser
import Bench
import Serial
import Turret

extension Firmware: ExpressibleByArgument {}

/// What stands at the end of the line.
struct DeviceOptions: ParsableArguments {
  @Option(help: "The model's behaviour. Default: what the trace says, else guarded.")
  var firmware: Firmware?

  @Option(
    help: ArgumentHelp(
      "The device: model, the Swift model in virtual time; serial:PATH, a real board.",
      valueName: "model|serial:PATH"))
  var device = "model"

  @Flag(
    help: """
      Do not restart the board; where a trace's comparison begins is then up to its first aim. \
      Opening a port restarts an Uno all the same unless DTR was left up: stty -F PORT -hupcl.
      """)
  var noReset = false

  @Option(help: "How long the board's bootloader takes before its sketch starts. Default: 1s.")
  var bootTime: TimeArgument?

  private static let boardPrefix = "serial:"

  private var boardPath: String? {
    guard device.hasPrefix(Self.boardPrefix) else { return nil }
    return String(device.dropFirst(Self.boardPrefix.count))
  }

  func validate() throws {
    if let boardPath {
      if boardPath.isEmpty { throw ValidationError("serial: wants a path behind it.") }
      if noReset && bootTime != nil {
        throw ValidationError("--boot-time has no meaning with --no-reset.")
      }
      if let bootTime, bootTime.interval > .seconds(60) {
        throw ValidationError("--boot-time is at most 60s.")
      }
    } else if noReset || bootTime != nil {
      throw ValidationError("--no-reset and --boot-time go with --device serial:PATH.")
    }
  }

  /// Where the device comes from.
  func source() throws(Failure) -> any DeviceSource {
    if let boardPath {
      return BoardSource(
        path: boardPath, resets: !noReset, bootTime: bootTime?.interval ?? .seconds(1))
    }
    return try virtualSource()
  }

  /// The same for a command that looks into the device, or runs it more than once.
  func virtualSource() throws(Failure) -> any DeviceSource {
    if device == "model" { return ModelSource() }
    if boardPath != nil {
      throw Failure(
        .unavailable, "error: the device \"\(device)\" is of no use here: nobody sees into a board")
    }
    guard device.hasPrefix("avr:") else {
      throw Failure(
        .usage, "error: there is no device \"\(device)\"; this version has: model, serial:PATH")
    }
    throw Failure(
      .unavailable,
      "error: the device \"\(device)\" is not available; this version has: model, serial:PATH")
  }
}
