package import Devices
import Traces
package import Turret

/// The device that a command line selects.
package struct DeviceChoice: Sendable {
  package let source: any DeviceSource
  /// The sketch that it behaves as; nil for that of the trace.
  package let firmware: Firmware?
  /// The device as the user named it.
  package let name: String
  /// The path of the program for the emulated chip; nil for another device.
  let programPath: String?

  package init(
    _ source: any DeviceSource, firmware: Firmware?, name: String, programPath: String? = nil
  ) {
    self.source = source
    self.firmware = firmware
    self.name = name
    self.programPath = programPath
  }

  /// Returns the source of as much of a trace as there is to see: the selected one, or the trace's
  /// own outputs if it is of a sketch that no model behaves as.
  func shown(for header: Header) -> any DeviceSource {
    let isUnknown = sketch(of: header) != nil && !source.runsAnyProgram
    return isUnknown ? SilentSource() : source
  }

  /// The name of a trace's sketch if no model behaves as it and none is asked for; nil otherwise.
  func sketch(of header: Header) -> String? { firmware == nil ? header.otherFirmware : nil }
}
