import Devices
import Judging
import Sketches
import TestSupport
import Traces

/// A session of a live bench: the sender's bytes with their times, and the board's outputs.
struct LiveSession {
  var events: [Event]
  var end: Instant

  /// A session of the model. `inputs` are in order.
  init(
    _ firmware: Firmware, _ inputs: [Event], end: Instant, baud: Int = 9_600,
    start: Header.Start = .reset, timing: Timing? = nil
  ) {
    var header = Header(firmware: firmware, baud: baud, duration: end - .zero, title: nil)
    if start == .unknown { header = Self.running(firmware) }
    let model = Model(firmware, timing: timing, for: header, showsPulses: false)
    self.init(inputs, end: end, on: model)
  }

  /// Another device's session.
  init(_ inputs: [Event], end: Instant, on device: some Device) {
    var replay = Replay(device, until: end, kinds: Set(Output.Kind.allCases))
    var events: [Event] = []
    for input in inputs { replay.take(input) { events.append($0) } }
    replay.finish(after: end) { events.append($0) }
    self.events = events
    self.end = end
  }

  /// A session from a script such as `"1500 X45. | 2000 L"`: milliseconds and bytes. It ends at
  /// `end` ms.
  init(_ firmware: Firmware, _ script: String, end: Int64, timing: Timing? = nil) {
    self.init(
      firmware, [Event](script: script), end: .zero + .milliseconds(end), timing: timing)
  }

  private static func running(_ firmware: Firmware) -> Header {
    let text =
      "{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"\(firmware.rawValue)\", "
      + "\"start\": \"unknown\"}\n"
    return try! TraceReader(text: Array(text.utf8), path: "running").header
  }

  /// The session as a trace.
  func trace(_ firmware: Firmware, header: String = "") -> [UInt8] {
    var text = Array(
      ("{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"\(firmware.rawValue)\", "
        + "\"duration\": \(String(canonical: end))\(header.isEmpty ? "" : ", ")\(header)}\n").utf8)
    for event in events { text.appendLine(event) }
    return text
  }

  /// The number of answers to `?` that the board began to send.
  var answerCount: Int {
    events.count { $0.output == .transmit(UInt8(ascii: "k")) }
  }

  /// The verdict on the session by a trace.
  func judged(
    by trace: [UInt8], _ firmware: Firmware, observes: Set<Output.Kind> = Set(Output.Kind.allCases),
    tolerance: Interval? = nil, start: Header.Start = .reset, timing: Timing? = nil
  ) throws -> Verdict {
    var reader = try TraceReader(text: trace, path: "trace")
    return try judged(
      by: &reader, firmware, observes: observes, tolerance: tolerance, start: start,
      timing: timing)
  }

  func judged(
    by reader: inout TraceReader, _ firmware: Firmware,
    observes: Set<Output.Kind> = Set(Output.Kind.allCases), tolerance: Interval? = nil,
    start: Header.Start = .reset, timing: Timing? = nil
  ) throws -> Verdict {
    var judge = try TraceJudge(
      expected: &reader,
      SessionSetup(
        firmware: firmware, timing: timing, baud: reader.header.baud, start: start,
        observes: observes),
      tolerance: tolerance)
    for event in events { judge.take(event) }
    return judge.finish(at: end)
  }
}

extension Verdict {
  /// One line that explains a failed expectation.
  var summary: String {
    if case .diverges(let divergence) = outcome {
      return "line \(divergence.line): \(divergence.message)"
    }
    return "\(outcome)"
  }

  var divergence: Divergence? {
    if case .diverges(let divergence) = outcome { divergence } else { nil }
  }
}
