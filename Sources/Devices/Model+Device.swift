package import Traces
package import Turret

// The Swift model of a sketch on a board, in virtual time.
extension Model: RealTimeDevice {
  /// A model whose session begins as the trace's header says. `timing`: another build's figures.
  package init(
    _ firmware: Firmware, timing: Timing? = nil, for header: Header, showsPulses: Bool
  ) {
    self.init(
      firmware, timing: timing, baud: header.baud, isRunning: header.start == .unknown,
      showsPulses: showsPulses)
  }

  package var capabilities: DeviceCapabilities {
    .virtual(observing: Set(Output.Kind.allCases), reportsFates: true)
  }
}
