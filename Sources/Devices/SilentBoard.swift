package import Sketches
package import Traces

/// A board without outputs: bytes arrive at it, and nothing else happens. It stands in for a device
/// if a trace's own outputs are all that is known about its sketch.
package struct SilentBoard: RealTimeDevice {
  private var line: SerialLine

  package init(for header: Header) { line = SerialLine(baud: header.baud) }

  package var capabilities: DeviceCapabilities {
    var capabilities = DeviceCapabilities.virtual(observing: [], reportsFates: false)
    capabilities.takesInputs = true
    capabilities.hasOtherServos = true
    return capabilities
  }

  package var nextDeadline: Instant? { line.nextDeadline }
  package var onTheWayCount: Int { line.count }

  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    line.send(bytes, at: instant)
  }

  package mutating func setSenderBaud(_ baud: Int) { line.senderBaud = baud }
  package mutating func setSenderFormat(_ format: LineFormat) { line.senderFormat = format }

  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    line.sendBreak(lasting: length, at: instant)
  }

  package mutating func addFramingError(to byte: UInt8) { line.addFramingError(to: byte) }

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

  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] {
    line.takeUndelivered()
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
