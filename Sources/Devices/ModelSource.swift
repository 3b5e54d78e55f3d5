package import Traces
package import Turret

/// Creates Swift models in virtual time.
package struct ModelSource: DeviceSource {
  package let timing: Timing?

  /// `timing` is another build's figures, nil for the measured ones.
  package init(timing: Timing? = nil) { self.timing = timing }

  package var name: String { "model" }
  package var reportsFates: Bool { true }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    Model.observes
  }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> Model {
    Model(firmware, timing: timing, for: header, showsPulses: showsPulses)
  }
}

extension Model: RealTimeDevice {
  /// Creates a model whose session begins as the trace's header states. `timing` is another build's
  /// figures, nil for the measured ones.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, for header: Header, showsPulses: Bool
  ) {
    self.init(
      firmware, timing: timing, baud: header.baud, isRunning: header.start == .unknown,
      showsPulses: showsPulses)
  }
}
