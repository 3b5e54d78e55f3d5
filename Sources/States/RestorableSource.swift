package import ChipDevice
package import Devices
package import Sketches
package import Traces

/// Creates devices that can be restored from a state file.
package protocol RestorableSource: DeviceSource where Made: RestorableDevice {
  /// Restores the device of a state file. Whether pulses are shown is not part of the state.
  func restore(_ file: StateFile, showsPulses: Bool) throws(TraceError) -> Made
}

/// A device whose state at an instant can be written to a file, read again, and continued.
package protocol RestorableDevice: RealTimeDevice {
  associatedtype State: Codable

  /// The device's name in a state file.
  static var kind: String { get }
  var state: State { get }
}

extension Model: RestorableDevice {
  package static let kind = "model"
  package var state: Model { self }
}

extension ModelSource: RestorableSource {
  package func restore(_ file: StateFile, showsPulses: Bool) throws(TraceError) -> Model {
    var model = try file.state(of: Model.self)
    guard model.resume(at: file.time, showsPulses: showsPulses) else { throw file.damage }
    return model
  }
}

extension AVRDevice: RestorableDevice {
  package static let kind = "avr"
}

extension AVRSource: RestorableSource {
  package func restore(_ file: StateFile, showsPulses: Bool) throws(TraceError) -> AVRDevice {
    let state = try file.state(of: AVRDevice.self)
    if let message = state.mismatch(with: program) { throw file.refusal(message) }
    let restored = AVRDevice(program, state, at: file.time, showsPulses: showsPulses)
    guard var device = restored else { throw file.damage }
    device.watch(pins)
    return device
  }
}
