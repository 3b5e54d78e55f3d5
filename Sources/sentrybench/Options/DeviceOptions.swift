import ArgumentParser
import Bench
import Turret

extension Firmware: ExpressibleByArgument {}

/// What stands at the end of the line.
struct DeviceOptions: ParsableArguments {
  @Option(help: "The model's behaviour. Default: what the trace says, else guarded.")
  var firmware: Firmware?

  @Option(help: "The device: model, the Swift model in virtual time.")
  var device = "model"

  /// The device's kind.
  func kind() throws(Failure) -> DeviceKind {
    guard device == "model" || device.hasPrefix("avr:") || device.hasPrefix("serial:") else {
      throw Failure(.usage, "error: there is no device \"\(device)\"; this version has: model")
    }
    guard device == "model" else {
      throw Failure(
        .unavailable, "error: the device \"\(device)\" is not available; this version has: model")
    }
    return .model
  }
}
