package import Traces
package import Turret

extension DeviceSource {
  /// Returns the firmware that a trace is replayed as: the requested one, or else the trace's own,
  /// or else guarded. Throws if the trace names a sketch that no model behaves as, and the devices
  /// are models. `path` is the trace's, for the message.
  package func firmware(
    of header: Header, in path: String, unless requested: Firmware?
  ) throws(TraceError) -> Firmware {
    if requested == nil, !runsAnyProgram, let name = header.otherFirmware {
      throw TraceError(
        .malformed, path: path, line: 1,
        "no model behaves as the sketch \(PlainText.quoted(name)); --device avr:FILE replays the "
          + "trace on its program, and --firmware on \(Firmware.list)")
    }
    return header.firmware(unless: requested)
  }
}
