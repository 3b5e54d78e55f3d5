package import Traces
package import Turret

/// The Swift model in virtual time.
package struct ModelSource: DeviceSource {
  package init() {}

  package var name: String { "model" }
  package var sessionCountMax: Int? { nil }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    Set(Output.Kind.allCases)
  }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> any Device {
    ModelDevice(firmware, for: header, showsPulses: showsPulses)
  }
}
