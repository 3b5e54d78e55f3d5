package import Captures
package import Devices
package import Traces
package import Turret

extension WavePins {
  /// Returns the pins that are named by the outputs of a trace or, for the kinds that a device
  /// adds, by those of the device, and the pins that were selected on the device.
  package static func named(
    in reader: consuming TraceReader, on device: some Device, adding kinds: Set<Output.Kind>
  ) throws(TraceError) -> WavePins {
    var reader = reader
    var levels = kinds.contains(.pin) ? device.capabilities.selectedPins : []
    var servos: Set<BoardPin> = []
    func take(_ event: Event) {
      guard let output = event.output, let pin = output.pin else { return }
      switch output.kind {
      case .pin: levels.insert(pin)
      case .servo, .pulse: servos.insert(pin)
      default: break
      }
    }
    var replay = Replay(device, until: reader.header.end, kinds: kinds)
    let runs = device.capabilities.hasOtherServos
    while let event = try reader.next() {
      if let kind = event.output?.kind, !kinds.contains(kind) { take(event) }
      if runs { replay.take(event) { take($0) } }
    }
    if runs { replay.finish(after: reader.time) { take($0) } }
    return WavePins(levels: levels, servos: servos)
  }
}
