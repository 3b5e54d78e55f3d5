import Sketches
import Testing
import Traces

@testable import Pictures

struct PictureDataTests {
  private func entry(
    _ byte: UInt8, at arrived: Int64, taken: Int64?, _ fate: Fate, command: Int? = nil
  ) -> Ledger.Entry {
    Ledger.Entry(
      byte: byte, arrived: Instant(nanoseconds: arrived),
      taken: taken.map { Instant(nanoseconds: $0) }, fate: fate, command: command)
  }

  @Test func `Bytes are differences in microseconds, rounded as explain rounds`() {
    var session = PlottedSession(title: nil, subtitle: "", end: .zero + .seconds(1))
    session.bytes = [
      entry(88, at: 1_000_001, taken: 1_003_999, .letter, command: 1),
      entry(122, at: 2_000_000, taken: nil, .junk),
    ]
    let text = String(decoding: PictureData.json(of: session), as: UTF8.self)
    #expect(text.contains("\"bytes\": [88,122], \"arrived\": [1001,999], \"waits\": [3,-1]"))
    #expect(text.contains("\"fates\": [0,5], \"commands\": [1,0], \"ended\": []"))
  }

  @Test func `A level is its label and its changes`() {
    var session = PlottedSession(title: nil, subtitle: "", end: .zero + .seconds(1))
    let samples = [(5, 1.0), (7, 0), (9, 1)].map { milliseconds, value in
      PlottedSession.Sample(.zero + .milliseconds(milliseconds), value)
    }
    session.levels = [PlottedLevel("D7", samples), PlottedLevel("led", [])]
    let text = String(decoding: PictureData.json(of: session), as: UTF8.self)
    let first = #"{"name": "D7", "t": [5000,2000,2000], "v": [1,-1,1]}"#
    #expect(text.contains("\"levels\": [\(first), {\"name\": \"led\", \"t\": [], \"v\": []}]"))
  }

  @Test func `Levels share a limit, however often they change`() {
    var session = PlottedSession(title: nil, subtitle: "", end: .zero + .seconds(100))
    let samples = (0..<100_000).map { (index: Int64) in
      PlottedSession.Sample(.zero + .milliseconds(index), index.isMultiple(of: 2) ? 1 : 0)
    }
    session.levels = (0..<8).map { PlottedLevel("D\($0)", samples) }
    #expect(PictureData.json(of: session).count < 1_000_000)
    let few = PlottedLevel("D2", Array(samples.prefix(100)))
    session.levels = [few]
    #expect(session.levels(thinnedTo: 16_000) == [few])
  }

  @Test func `The data is JSON, and lists at most as many bytes as asked`() throws {
    var session = PlottedSession(title: nil, subtitle: "", end: .zero + .seconds(1))
    session.bytes = (0..<10).map { entry(76, at: $0 * 2_000_000, taken: nil, .waiting) }
    let text = PictureData.json(of: session, bytesMax: 3)
    let value = try JSONValue.contents(of: text, path: "data")
    guard case .object(let members) = value else {
      Issue.record("expected an object")
      return
    }
    let bytes = members.first { $0.key == "bytes" }?.value
    #expect(bytes == .array(Array(repeating: .number("76"), count: 3)))
  }
}
