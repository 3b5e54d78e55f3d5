import Traces
import Turret
import Verification

/// The properties of a client's session.
struct APISetting: Sendable {
  var header: Header
  var setup: SessionSetup
  /// The device's name.
  var device: String
  /// The environment of a sender.
  var environment: [(name: String, value: String)] = []
  /// Whether time passes only when the client requests it.
  var isVirtual = false
  /// Whether levels and voltages can be applied to the device's pins.
  var takesInputs = false
  /// How long the bootloader owns the line after a restart by DTR.
  var deadTime = Interval.seconds(1)
}
