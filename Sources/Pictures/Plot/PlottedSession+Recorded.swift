import Devices
package import Traces
package import Turret

extension PlottedSession {
  /// Records what a picture of a recorded session needs: from the model of its sketch or, if no
  /// model behaves as the sketch, from the trace's own outputs. `firmware` is the sketch whose
  /// model is used; nil for that of the header. `name` is the device's name in the picture; nil for
  /// the name of the source of the outputs.
  package static func recorded(
    _ reader: inout TraceReader, firmware: Firmware? = nil, timing: Timing? = nil,
    named name: String? = nil, servo: ServoData = .sg90
  ) throws(TraceError) -> PlottedSession {
    let header = reader.header
    let firmware = header.firmware(unless: firmware)
    if let sketch = header.otherFirmware {
      return try make(
        &reader, on: SilentBoard(for: header), named: name ?? SilentSource().name,
        firmware: firmware, sketch: sketch, servo: servo)
    }
    let source = ModelSource(timing: timing)
    let device = source.makeDevice(for: header, firmware: firmware, showsPulses: true)
    return try make(
      &reader, on: device, named: name ?? source.name, firmware: firmware, servo: servo)
  }
}
