import Devices
import Sketches
import Testing
import Traces

@testable import Judging

/// Rules of sessions whose record is shortened.
@Suite struct LongSessionRuleTests {
  /// Rules of each kind, some of which most random sessions break.
  private static let rules = """
    [
      {"servo": 45}, {"servo": 135}, {"shaft": "90 ± 2", "within": "3s"},
      {"servo": 110, "within": "50ms", "of": "X110."}, {"servo": 45, "within": "30s", "of": "X*."},
      {"servo": 70, "of": "X70."}, {"servo": 20, "before": "40s"}, {"servo": 45},
      {"exactly": [{"servo": 45}, {"servo": 135}, {"servo": 45}]},
      {"never": ["junk"]}, {"never": ["lost"]}, {"never": ["abandoned"]}, {"never": ["swallowed"]},
      {"never": ["reset"]}, {"angles": "10..170"}, {"quiet": "200ms"}, {"gap": "at least 30ms"},
      {"commands": "at most 4 in 300ms"}, {"commands": "at most 60"}, {"commands": "at least 3"},
      {"ends": {"servo": 45}}, {"ends": {"sweeping": true}},
      {"recovers": {"within": "300ms", "after": "fault"}},
      {"sometimes": {"fault": "drop", "while": "scanning"}},
      {"never": {"junk": 1, "unless": "fault"}}
    ]
    """

  private static func parsed() throws -> [Rule] {
    let value = try JSONValue.contents(of: Array(rules.utf8), path: "rules")
    return try RuleParser(path: "").rules(Notation(value))
  }

  /// Returns the events of a session with random bytes, on the model.
  private static func session(_ seed: UInt64, _ firmware: Firmware) -> [Event] {
    var random = RandomStream(seed: seed, stream: 1)
    let texts = ["X45.", "X135.", "X110.", "X70.", "X20.", "L", "S", "X9", "?", ".", "X180.", "q"]
    // Some sessions have only good commands, so that rules hold to their end.
    let count = seed % 3 == 0 ? 5 : texts.count
    var inputs: [Event] = []
    var time = Instant.zero + .milliseconds(1_500)
    for _ in 0..<80 {
      time = time + .microseconds(random.draw(20_000...Int64(seed % 2 == 0 ? 200_000 : 900_000)))
      switch random.draw(0...40) {
      case 0 where seed % 5 == 0: inputs.append(Event(time, .reset(.seconds(1))))
      case 1, 2: inputs.append(Event(time, .fault(FaultStrike(.drop, at: .wire))))
      default:
        let text = texts[Int(random.draw(0...Int64(count - 1)))]
        inputs.append(Event(time, .receive(Array(text.utf8))))
      }
    }
    let header = Header(firmware: firmware, duration: nil, title: nil)
    let device = ModelSource().makeDevice(for: header, firmware: firmware, showsPulses: false)
    let end = time + .seconds(2)
    var replay = Replay(device, until: end, kinds: Set(Output.Kind.allCases))
    var events: [Event] = []
    for input in inputs { replay.take(input) { events.append($0) } }
    replay.finish(after: end) { events.append($0) }
    return events
  }

  private static func report(
    _ events: [Event], _ firmware: Firmware, stretch: Int
  ) throws -> RuleReport {
    var session = try SessionRules(
      try parsed(), SessionSetup(firmware: firmware), stretch: stretch
    ) { (path) throws(TraceError) in try TraceReader(text: [], path: path) }
    for event in events { session.take(event) }
    return session.finish(at: (events.last?.time ?? .zero) + .milliseconds(700), sender: nil)
  }

  @Test(arguments: [Firmware.classic, .guarded, .buzzer])
  func `A record that is shortened leads to the same verdicts`(_ firmware: Firmware) throws {
    for seed in 1...40 as ClosedRange<UInt64> {
      let events = Self.session(seed, firmware)
      let whole = try Self.report(events, firmware, stretch: .max)
      for stretch in [40, 150] {
        let short = try Self.report(events, firmware, stretch: stretch)
        #expect(
          short.failures.map(\.headline) == whole.failures.map(\.headline),
          "seed \(seed), stretch \(stretch)")
        for (failure, other) in zip(short.failures, whole.failures) {
          #expect(failure.cause == other.cause, "seed \(seed), stretch \(stretch): \(failure.text)")
          // What follows later than a stretch is not said.
          #expect(
            failure.notes.first == other.notes.first,
            "seed \(seed), stretch \(stretch), \(failure.headline)")
        }
        // With so few events before it, the fate of a byte can still change.
        let times = [short, whole].map { $0.meant.map { $0.prefix(12) } }
        #expect(times[0] == times[1], "seed \(seed), stretch \(stretch)")
      }
    }
  }

  @Test func `A day at a full line keeps as much as an hour`() throws {
    var session = try SessionRules(
      try Self.parsed(), SessionSetup(firmware: .classic), stretch: 1_000
    ) { (path) throws(TraceError) in try TraceReader(text: [], path: path) }
    var time = Instant.zero
    var most = 0
    let bytes = Array("X45.X135.".utf8)
    for index in 0..<200_000 {
      time = time + .nanoseconds(1_041_667)
      session.take(Event(time.roundedUpToMicrosecond, .receive([bytes[index % bytes.count]])))
      most = max(most, session.record.events.count)
    }
    // An event with a byte counts twice.
    #expect(most > 500 && most <= 1_500)
  }
}
