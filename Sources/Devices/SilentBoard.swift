package import Sketches
package import Traces

/// A board without outputs: bytes arrive at it, and nothing else happens. It stands in for a device
/// if a trace's own outputs are all that is known about its sketch.
package struct SilentBoard: RealTimeDevice, OnSerialLine {
  package var line: SerialLine

  package init(for header: Header) { line = SerialLine(baud: header.baud) }

  package var capabilities: DeviceCapabilities {
    var capabilities = DeviceCapabilities.virtual(observing: [], reportsFates: false)
    capabilities.takesInputs = true
    capabilities.parts = nil
    capabilities.hasOtherServos = true
    return capabilities
  }

  package var nextDeadline: Instant? { line.nextDeadline }

  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
  }

  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while let byte = line.next(by: end) {
      recorder.arrived(byte.byte, at: byte.end)
      recorder.mark(.arrived)
    }
  }
}

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
