package import Traces
package import Turret

/// The Swift model in virtual time.
package struct ModelSource: DeviceSource {
  package let timing: Timing?

  /// `timing`: another build's figures.
  package init(timing: Timing? = nil) { self.timing = timing }

  package var name: String { "model" }
  package var sessionCountMax: Int? { nil }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    Set(Output.Kind.allCases)
  }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> any Device {
    ModelDevice(firmware, timing: timing, for: header, showsPulses: showsPulses)
  }

  package func restore(
    _ state: StateFile, showsPulses: Bool
  ) throws(TraceError) -> (any Device)? {
    try state.restore(as: ModelDevice.self, showsPulses: showsPulses)
  }
}
