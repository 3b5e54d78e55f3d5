import Sketches
import Traces

/// The bytes that are sent to a sketch, with the arrival of each.
struct SentStream: Sendable {
  let sketch: PrebuiltSketch
  let seed: UInt64
  /// Bytes and resets, in order of time.
  let inputs: [Event]
  let arrivals: [(byte: UInt8, end: Instant)]
  /// The session's end, long after the last arrival.
  let end: Instant

  /// How long a session continues after the last arrival: long enough to take all waiting bytes and
  /// to time out a number.
  private static let rest = Interval.milliseconds(300)

  init(_ sketch: PrebuiltSketch, seed: UInt64, inputs: [Event], notBefore earliest: Instant) {
    self.sketch = sketch
    self.seed = seed
    self.inputs = inputs
    var line = SerialLine(baud: 9_600)
    for input in inputs {
      if case .receive(let bytes) = input.kind { line.send(bytes, at: input.time) }
    }
    arrivals = line.takeUndelivered()
    end = max(earliest, (arrivals.last?.end ?? .zero) + Self.rest).roundedUpToMicrosecond
  }

  var resets: [Instant] {
    inputs.compactMap { input in
      if case .reset = input.kind { input.time } else { nil }
    }
  }

  var header: Header {
    Header(
      firmware: sketch.firmware, duration: end - .zero,
      title: "\(sketch.rawValue), random stream of seed \(seed)")
  }

  /// The trace with these inputs and the given outputs.
  func trace(_ outputs: [TimedOutput]) -> [UInt8] {
    var events = inputs.map { (order: 0, event: $0) }
    events += outputs.filter { $0.time <= end }.map { (order: 1, event: Event($0.time, $0.output)) }
    let sorted = events.enumerated().sorted { a, b in
      (a.element.event.time, a.element.order, a.offset)
        < (b.element.event.time, b.element.order, b.offset)
    }
    var text: [UInt8] = []
    text.appendLine(header)
    for entry in sorted { text.appendLine(entry.element.event) }
    return text
  }
}
