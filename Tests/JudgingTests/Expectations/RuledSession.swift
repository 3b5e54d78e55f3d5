import Devices
import Judging
import Sketches
import Traces

/// A session in the form of a script, on the model, judged by rules in JSON.
///
/// The script has milliseconds and bytes: `1500 X45. | 2000 L`. The session ends at `end`
/// milliseconds.
struct RuledSession {
  var firmware = Firmware.classic
  var script: String
  var end: Int64 = 4_000
  /// The kinds of output that the session shows.
  var observes = Set(Output.Kind.allCases)
  /// How much earlier than the model's the servo's writes are, as on a chip.
  var lead = Interval.zero
  /// Whether there can be other servos.
  var hasOtherServos = false
  /// What else is known of the session.
  var servoRange: ServoRange?
  var view: CameraView?
  /// Further events, as lines of a trace.
  var events: [Event] = []

  private var inputs: [Event] {
    let parts = script.split(separator: "|").map { $0.split(separator: " ") }
    let sent = parts.filter { $0.count == 2 }.map { part in
      Event(
        .zero + .milliseconds(Int64(part[0]) ?? 0),
        .receive(Array(part[1].replacing("\\n", with: "\n").utf8)))
    }
    return (sent + events).sorted { $0.time < $1.time }
  }

  /// The session's record after `end`; before it, only what has happened by `now`.
  func record(until now: Int64? = nil) -> SessionRecord {
    let header = Header(firmware: firmware, duration: nil, title: nil)
    let device = ModelSource().makeDevice(for: header, firmware: firmware, showsPulses: true)
    let end = Instant.zero + .milliseconds(now ?? end)
    var setup = SessionSetup(firmware: firmware, observes: observes)
    setup.hasOtherServos = hasOtherServos
    setup.servoRange = servoRange
    setup.view = view
    var record = SessionRecord(setup)
    var replay = Replay(device, until: end, kinds: observes)
    func take(_ event: Event) {
      record.take(
        event.output?.kind == .servo ? Event(event.time - lead, event.kind) : event)
    }
    for input in inputs where input.time <= end {
      replay.take(input) { take($0) }
      // The outputs that the model does not have.
      if input.output?.pin != nil || input.isReported { record.take(input) }
    }
    replay.finish(after: end) { take($0) }
    if now == nil { record.finish(at: end) } else { record.advance(to: end) }
    return record
  }

  /// Returns what failed, without the lines of the session.
  func failures(_ rules: String, sender: SenderOutcome? = nil) throws -> [String] {
    let value = try JSONValue.contents(of: Array(rules.utf8), path: "rules")
    let rules = try RuleParser(path: "").rules(Notation(value))
    return RuleReport(rules, record(), sender: sender).failures.map { failure in
      ([failure.headline] + failure.notes).joined(separator: "; ")
    }
  }
}
