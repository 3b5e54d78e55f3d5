import Bench
import Testing
import Traces
import Turret

/// Every trace is a session that a live bench might have: sent again by another sender it agrees.
@Suite("A live session of a trace's bytes") struct LiveJudgeCorpusTests {
  static let names = Corpus.names

  @Test("agrees with the trace, sent as it was or later by any time", arguments: names)
  func agrees(_ name: String) throws {
    for shift in [0, 300, 777, 2_000] {
      var reader = try Corpus.reader(name)
      let firmware = reader.header.firmware(unless: nil)
      let baud = reader.header.baud
      var inputs: [Event] = []
      while let event = try reader.next() {
        guard event.isInput, event.time <= reader.header.end ?? event.time else { continue }
        inputs.append(Event(event.time + .milliseconds(Int64(shift)), event.kind))
      }
      let end = (reader.header.end ?? reader.time) + .milliseconds(Int64(shift))
      var again = try Corpus.reader(name)
      let session = LiveSession(firmware, inputs, end: end, baud: baud)
      let verdict = try session.judged(by: &again, firmware)
      #expect(verdict.agrees, "\(shift) ms later: \(verdict.summary)")
    }
  }
}
