package import Traces
package import Turret

/// Creates boards without outputs, for traces of sketches that no model behaves as.
package struct SilentSource: DeviceSource {
  package init() {}

  package var name: String { "as recorded" }
  package var runsAnyProgram: Bool { true }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { [] }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> SilentBoard {
    SilentBoard(for: header)
  }
}
