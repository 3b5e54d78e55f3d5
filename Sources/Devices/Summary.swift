package import Sketches
package import Traces

/// A session in five figures, with those of a recorded run's stack. Every step of the session is
/// still carried out.
package struct Summary<D: Device>: Sendable {
  package var length = Interval.zero
  package var events = 0
  package var servoEvents = 0
  /// The last commanded angle in degrees; nil before the first.
  package var angle: UInt8?
  /// Bytes that never reached the sketch.
  package var lost = 0
  /// Why the device stopped working before the end; nil if it did not.
  package var fault: DeviceError?

  package private(set) var device: D

  /// Takes a device, which is already at `start`, through the reader's trace to `end`; nil for the
  /// last event.
  package init(
    _ reader: inout TraceReader, _ device: D, from start: Instant = .zero,
    until end: Instant?,
    counting: Set<Output.Kind>
  ) throws(TraceError) {
    self.device = device
    var simulation = Simulation(device, at: start)
    while let event = try reader.next() {
      guard event.isInput, event.time <= end ?? event.time else { continue }
      advance(&simulation, to: event.time, counting)
      simulation.feed(event)
    }
    let last = end ?? reader.time
    advance(&simulation, to: last + simulation.lag, counting, until: last)
    length = max(last - start, .zero)
    self.device = simulation.device
    fault = simulation.fault
  }

  private mutating func advance(
    _ simulation: inout Simulation<D>, to end: Instant, _ kinds: Set<Output.Kind>,
    until last: Instant = .distantFuture
  ) {
    let last = simulation.lag == .zero ? .distantFuture : last
    while simulation.step(to: end) {
      for seen in simulation.outputs where seen.time <= last {
        guard !seen.output.kind.isOnRequest || kinds.contains(seen.output.kind) else { continue }
        events += 1
        switch seen.output {
        case .servo(let degrees, _, nil):
          servoEvents += 1
          angle = degrees
        case .lost: lost += 1
        default: break
        }
      }
    }
  }

  package var json: String {
    let angle = angle.map { "\($0)" } ?? "null"
    return "{\"seconds\": \(String(shortest: length)), \"events\": \(events), "
      + "\"servo\": \(servoEvents), \"angle\": \(angle), \"lost\": \(lost)"
      + (device.stackUse.map { ", \"stack\": \($0.json)}" } ?? "}")
  }
}
