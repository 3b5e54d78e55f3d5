import ArgumentParser
import Bench
import Serial
import Traces
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

  @Option(
    help: """
      A file with the timing of another build for the model: a JSON object with a key for each \
      figure, in microseconds.
      """)
  var timing: String?

  @OptionGroup var board: BoardOptions

  private static let boardPrefix = "serial:"

  var isBoard: Bool { boardPath != nil }

  private var boardPath: String? {
    guard device.hasPrefix(Self.boardPrefix) else { return nil }
    return String(device.dropFirst(Self.boardPrefix.count))
  }

  func validate() throws {
    if let boardPath {
      if timing != nil { throw ValidationError("--timing is the model's: a board has its own.") }
      if boardPath.isEmpty { throw ValidationError("serial: wants a path behind it.") }
    } else if board.isGiven {
      throw ValidationError("--no-reset and --boot-time go with --device serial:PATH.")
    }
  }

  /// Where the device comes from.
  func source() throws(Failure) -> any DeviceSource {
    if let boardPath { return board.source(path: boardPath) }
    return try virtualSource()
  }

  private func readTiming() throws(Failure) -> Timing? {
    do throws(TraceError) {
      guard let timing else { return nil }
      return try Timing(path: timing)
    } catch {
      throw Failure(error)
    }
  }

  /// The same for a command that looks into the device, or runs it more than once.
  func virtualSource() throws(Failure) -> any DeviceSource {
    if device == "model" { return ModelSource(timing: try readTiming()) }
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
