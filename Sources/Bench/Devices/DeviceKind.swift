package import Traces
package import Turret

/// Which device a session runs on.
package enum DeviceKind: Hashable, Sendable {
  /// The Swift model in virtual time.
  case model

  /// The device for a session that begins as its header says, with a firmware's behaviour.
  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> any Device {
    switch self {
    case .model: ModelDevice(firmware, for: header, showsPulses: showsPulses)
    }
  }
}
