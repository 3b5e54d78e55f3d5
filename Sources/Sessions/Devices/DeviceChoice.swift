package import Devices
import Traces
package import Turret

/// The device that a command line selects.
package struct DeviceChoice: Sendable {
  package let source: any DeviceSource
  /// The sketch that the device behaves as; nil for that of the trace.
  package let firmware: Firmware?
  /// The device as the user named it.
  package let name: String
  /// The path of the emulated chip's program; nil for another device.
  let programPath: String?

  package init(
    _ source: any DeviceSource, firmware: Firmware?, name: String, programPath: String? = nil
  ) {
    self.source = source
    self.firmware = firmware
    self.name = name
    self.programPath = programPath
  }

  /// Names the sketch of a trace after the device's program, unless the command line selects one.
  func nameSketch(of reader: inout TraceReader) {
    if firmware == nil { reader.adoptSketch(of: source) }
  }

  /// Returns the source with which to show a trace: the selected one, or one without outputs of its
  /// own, so that only the trace's are shown, if no model behaves as the trace's sketch.
  func shown(for header: Header) -> any DeviceSource {
    let isUnknown = sketch(of: header) != nil && !source.runsAnyProgram
    return isUnknown ? SilentSource() : source
  }

  /// Returns the name of a trace's sketch if no model behaves as it and the command line selects
  /// none; nil otherwise.
  func sketch(of header: Header) -> String? { firmware == nil ? header.otherFirmware : nil }
}
