import Devices
import Judging
import Sketches
import Traces

/// Traces as tools on a computer would have recorded them.
enum UncertainTrace {
  /// A session with uncertain times, from its lines and its header's last keys.
  static func session(
    _ lines: [String], keys: String = "", uncertainty: Interval
  ) throws -> UncertainSession {
    let header =
      "{\"format\": \"sentry-trace\", \"version\": 1, \"firmware\": \"classic\"\(keys)}\n"
    var reader = try TraceReader(
      text: Array((header + lines.map { $0 + "\n" }.joined()).utf8), path: "t")
    return try UncertainSession(&reader, uncertainty: uncertainty)
  }

  /// What a tool does to the times of the events that it records.
  enum Recorder: String, CaseIterable, CustomStringConvertible {
    /// Whole milliseconds, up to 2 ms late.
    case socat
    /// One stamp, that of the first byte, for all bytes that arrive within 20 ms.
    case merging
    /// Stamps in units of 10 ms.
    case coarse

    var resolution: Interval {
      switch self {
      case .socat: .milliseconds(1)
      case .merging: .microseconds(1)
      case .coarse: .milliseconds(10)
      }
    }

    var uncertainty: Interval {
      switch self {
      case .socat: .milliseconds(3)
      case .merging: .milliseconds(20)
      case .coarse: .milliseconds(10)
      }
    }

    var description: String { rawValue }
  }

  /// Returns a trace of the corpus as a recorder would have written it, with another output in place
  /// of the servo event `broken`, counted from 0.
  static func recorded(
    _ name: String, by recorder: Recorder, broken: Int? = nil
  ) throws -> [UInt8] {
    var reader = try Corpus.reader(name)
    var header = reader.header
    header.set(clock: .host)
    header.set(resolution: recorder.resolution, uncertainty: recorder.uncertainty)
    var events: [Event] = []
    var servo = 0
    while var event = try reader.next() {
      if case .output(.servo(_, let width, nil)) = event.kind {
        if servo == broken {
          event.kind = .output(.servo(degrees: 7, microseconds: width == 616 ? 626 : 616))
        }
        servo += 1
      }
      guard event.output != nil || event.isInput else { continue }
      event.time = stamp(event.time, recorder, after: events.last?.time)
      if recorder == .merging, case .receive(let more) = event.kind, let last = events.last,
        case .receive(let bytes) = last.kind, event.time - last.time < recorder.uncertainty
      {
        events[events.count - 1].kind = .receive(bytes + more)
      } else {
        events.append(event)
      }
    }
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    return text
  }

  private static func stamp(
    _ time: Instant, _ recorder: Recorder, after last: Instant?
  ) -> Instant {
    let grain = recorder.resolution.nanoseconds
    // Late by an amount that differs from event to event.
    let late = recorder == .socat ? time.nanoseconds / 1_000 % 2_000_000 : 0
    let stamp = Instant(nanoseconds: (time.nanoseconds + late) / grain * grain)
    return max(stamp, last ?? .zero)
  }

  /// Judges a session in worlds on the model, as `verify` does.
  static func verdict(
    _ session: UncertainSession, worlds: Int, seed: UInt64 = 1
  ) -> (verdict: Verdict, findings: WorldFindings) {
    let trial = trial(session)
    let recorded = trial.judge(session.recordedTimes)
    let reference = WorldReference(
      session, recorded.ledger, firmware: session.header.firmware(unless: nil))
    let findings = WorldFindings(
      tally(trial, reference, 0..<worlds, seed: seed), reference, of: session, seed: seed,
      tolerance: trial.tolerance)
    return (findings.verdict(recorded: recorded.verdict), findings)
  }

  static func trial(_ session: UncertainSession) -> WorldTrial<Model> {
    let firmware = session.header.firmware(unless: nil)
    let model = Model(firmware, timing: nil, for: session.header, showsPulses: false)
    return WorldTrial(session, on: model, firmware: firmware, tolerance: nil)
  }

  static func tally(
    _ trial: WorldTrial<Model>, _ reference: WorldReference, _ worlds: Range<Int>,
    seed: UInt64 = 1
  ) -> WorldTally {
    var tally = WorldTally()
    for world in worlds {
      let times = trial.session.times(ofWorld: world, seed: seed)
      let (verdict, ledger) = trial.judge(times)
      tally.add(
        world: world, ledger, verdict,
        shift: trial.agreesExactly(times) ? trial.session.shift(of: times).sum : nil,
        reference: reference)
    }
    return tally
  }
}
