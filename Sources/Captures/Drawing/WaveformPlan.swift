package import Devices
package import Sketches
package import Traces

/// Which parts of a waveform are recorded in the trace, and which ones a device adds.
package struct WaveformPlan: Hashable, Sendable {
  /// The kinds of output that are taken from the device. The others are taken from the trace.
  package let added: Set<Output.Kind>
  /// Whether the servo's pulses follow from the widths in the trace.
  package let derivesPulses: Bool
  /// The wires on which the device shows each level itself.
  package let driven: Set<BoardWire>
  /// The notes that can be shown.
  package let notes: [WaveNote]

  /// The kinds of output that a waveform draws.
  private static let drawn: Set<Output.Kind> = [.transmit, .servo, .pulse, .tone, .lost, .pin]

  /// `recorded` are the kinds that the trace has or expects; empty if everything is to be taken
  /// from the device.
  package init(recorded: Set<Output.Kind>, on capabilities: DeviceCapabilities) {
    var added = capabilities.observes.intersection(Self.drawn).subtracting(recorded)
    // The pulses of a device would contradict the angles of the trace.
    derivesPulses = recorded.contains(.servo) && !recorded.contains(.pulse)
    if derivesPulses { added.remove(.pulse) }
    // Fates are shown together, and only a device has those of bytes that were taken.
    if capabilities.reportsFates { added.insert(.lost) }
    self.added = added
    var driven: Set<BoardWire> = []
    if capabilities.showsWires {
      if added.contains(.transmit) { driven.insert(.tx) }
      if added.contains(.pulse) { driven.insert(.servo) }
      if added.contains(.tone) { driven.insert(.tone) }
    }
    self.driven = driven
    var notes: [WaveNote] = [.rxByte, .txByte, .fate]
    if capabilities.reportsFates { notes += [.state, .waiting] }
    self.notes = notes + [.angle, .tone]
  }

  /// Returns a sentence about where each signal is from. `device` is as in `--device`.
  package func sentence(device: String) -> String {
    // The levels of pins are drawn, but not mentioned.
    let kinds = Output.Kind.allCases.filter {
      Self.drawn.contains($0) && $0 != .pin && ($0 != .pulse || !derivesPulses)
    }
    let recorded = ["rx"] + kinds.filter { !added.contains($0) }.map { $0.name }
    let shown = kinds.filter { added.contains($0) }.map { $0.name }
    var sentence = "from the trace: \(recorded.joined(separator: ", "))"
    if derivesPulses { sentence += ", and the pulses that follow from the servo events" }
    if !shown.isEmpty {
      sentence += "; from the device \"\(device)\": \(shown.joined(separator: ", "))"
    }
    return sentence
  }
}

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
