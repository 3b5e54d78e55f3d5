package import Traces
package import Turret

// The Swift model of a sketch on a board, in virtual time.
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

  /// A model has no pins of its own.
  static let observes = Set(Output.Kind.allCases).subtracting([.pin])

  package var capabilities: DeviceCapabilities {
    .virtual(observing: Self.observes, reportsFates: true)
  }
}
