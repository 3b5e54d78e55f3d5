package import Traces
package import Turret

extension Header {
  /// The header of the trace that a replay of this one writes. The name of a sketch that no model
  /// behaves as is kept unless a firmware is `requested`. `source` is the device's name. `start` is
  /// the instant of the state from which it continues, nil for the beginning; `end` is where it
  /// ends, nil for this trace's end.
  package func replayed(
    unless requested: Firmware?, on capabilities: DeviceCapabilities, source: String,
    from start: Instant? = nil, until end: Instant? = nil
  ) -> Header {
    var header = self
    if requested != nil || otherFirmware == nil {
      header.set(firmware: firmware(unless: requested))
    }
    header.set(clock: capabilities.clock)
    if capabilities.start == .unknown { header.set(start: .unknown) }
    if let end { header.set(duration: end - .zero) }
    if let start { header.set(from: start) }
    header.set(source: "sentrybench, \(source)")
    return header
  }
}
