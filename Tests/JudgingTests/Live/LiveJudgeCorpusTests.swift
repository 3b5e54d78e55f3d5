import Devices
import Judging
import Sketches
import Testing
import Traces

/// Every trace could be a live session: sent again by another sender, it agrees.
@Suite("Live judge on the corpus") struct LiveJudgeCorpusTests {
  /// In these traces the pause at start-up makes the board lose commands, by a purge or a full
  /// ring, which are accepted when they are sent later; or a command before a reset would be sent
  /// after it.
  private static let startUpMatters: Set = [
    "buzzer/boot-overflow",
    "buzzer/start-up-overflow-cuts-a-number",
    "classic/boot-overflow",
    "classic/random-a",
    "classic/start-up-bytes-beyond-63-lost",
    "classic/start-up-crlf-behind-a-command",
    "classic/start-up-ends-while-junk-waits",
    "classic/start-up-ff-first",
    "classic/start-up-junk-first",
    "classic/start-up-junk-second",
    "classic/start-up-junk-then-more-arrive",
    "classic/start-up-overflow-cuts-a-number",
    "field/face-tracker-classic",
    "line/reset-clears-what-waits-classic",
  ]

  @Test(arguments: Corpus.names)
  func `A session of a trace's bytes agrees with the trace, on time or later`(_ name: String) throws
  {
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
      if shift == 0 || !Self.startUpMatters.contains(name) {
        #expect(verdict.agrees, "\(shift) ms later: \(verdict.summary)")
      } else if shift == 2_000 {
        #expect(!verdict.agrees, "it agrees: remove it from the list")
      }
    }
  }

  @Test(arguments: Corpus.names)
  func `A recorded trace agrees with the model's session of the same bytes sent later`(
    _ name: String
  ) throws {
    var reader = try Corpus.reader(name)
    let firmware = reader.header.firmware(unless: nil)
    guard !Self.startUpMatters.contains(name), reader.header.start == .reset,
      reader.header.clock == .device
    else { return }
    let end = reader.header.end ?? reader.time
    var recording = LiveSession(firmware, [], end: end)
    recording.events = []
    var later: [Event] = []
    while let event = try reader.next(), event.time <= end {
      recording.events.append(event)
      if event.isInput { later.append(Event(event.time + .milliseconds(777), event.kind)) }
    }
    let outputs = Set(recording.events.compactMap { $0.output?.kind }).subtracting([.pulse])
    let kinds = (reader.header.expects ?? outputs).subtracting([.pulse])
    guard !kinds.isEmpty else { return }
    let names = kinds.map { "\"\($0.name)\"" }.sorted().joined(separator: ", ")
    let trace = LiveSession(
      firmware, later, end: end + .milliseconds(777), baud: reader.header.baud
    ).trace(firmware, header: "\"expects\": [\(names)]")
    let verdict = try recording.judged(by: trace, firmware)
    #expect(verdict.agrees, "\(verdict.summary)")
  }
}
