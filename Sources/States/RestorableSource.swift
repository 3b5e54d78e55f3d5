package import ChipDevice
package import Devices
package import Traces

/// Creates devices that can be restored from a state file.
package protocol RestorableSource: DeviceSource where Made: RestorableDevice {
  /// What a device needs that its state file does not contain.
  var context: [CodingUserInfoKey: Any] { get }
}

extension RestorableSource {
  /// Restores the device of a state file.
  package func restore(_ state: StateFile, showsPulses: Bool) throws(TraceError) -> Made {
    var device = try state.restore(as: Made.self, showsPulses: showsPulses, in: context)
    device.watch(pins)
    return device
  }
}

extension ModelSource: RestorableSource {
  package var context: [CodingUserInfoKey: Any] { [:] }
}

extension AVRSource: RestorableSource {
  package var context: [CodingUserInfoKey: Any] { [AVRDevice.programKey: program] }
}
