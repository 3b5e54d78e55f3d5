import Logging
import Platform
import Sketches
import Testing

@testable import Network

struct RefusalLinesTests {
  private static func at(_ milliseconds: Int64) -> Instant {
    .zero + .seconds(100) + .milliseconds(milliseconds)
  }

  private static func refused(_ port: Int, _ status: Int = 503) -> RefusedConnection {
    RefusedConnection(status: status, address: "10.0.0.1:\(port)", why: "too many")
  }

  /// `last port, how many of each status`; nil for no line.
  private static func text(_ line: RefusalLines.Line?) -> String? {
    line.map { line in
      let counts = line.counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      return "\(line.last.address.suffix(1)), \(counts.joined(separator: ", "))"
    }
  }

  @Test func `The first refusal is written at once, and those of the next second as one line`() {
    var lines = RefusalLines()
    #expect(Self.text(lines.add(Self.refused(1), at: Self.at(0))) == "1, 503: 1")
    #expect(lines.due == nil)
    #expect(lines.add(Self.refused(2), at: Self.at(1)) == nil)
    #expect(lines.add(Self.refused(3, 401), at: Self.at(500)) == nil)
    #expect(lines.add(Self.refused(4), at: Self.at(999)) == nil)
    #expect(lines.due == Self.at(1_000))
    #expect(lines.expire(at: Self.at(999)) == nil)
    #expect(Self.text(lines.expire(at: Self.at(1_000))) == "4, 401: 1, 503: 2")
    #expect(lines.due == nil && lines.expire(at: Self.at(5_000)) == nil)
  }

  @Test func `A flood gives one line a second, and each refusal is counted in one`() {
    var lines = RefusalLines()
    var written: [Int] = []
    for milliseconds in 0..<5_000 as Range<Int64> {
      if let line = lines.add(Self.refused(1), at: Self.at(milliseconds)) {
        written.append(line.total)
      }
    }
    #expect(written == [1, 1_000, 1_000, 1_000, 1_000])
    #expect(lines.finish()?.total == 999)
    #expect(lines.finish() == nil && lines.due == nil)
  }

  @Test func `After a quiet second the next refusal is written at once again`() {
    var lines = RefusalLines()
    #expect(lines.add(Self.refused(1), at: Self.at(0)) != nil)
    #expect(lines.add(Self.refused(2), at: Self.at(10)) == nil)
    #expect(lines.expire(at: Self.at(1_000)) != nil)
    #expect(lines.add(Self.refused(3), at: Self.at(1_500)) == nil)
    #expect(lines.expire(at: Self.at(2_000)) != nil)
    #expect(Self.text(lines.add(Self.refused(4), at: Self.at(3_000))) == "4, 503: 1")
  }

  @Test func `A line shows the newest refusal, and counts if there were more`() {
    func text(_ refusals: [RefusedConnection]) -> String {
      let counts = Dictionary(grouping: refusals, by: \.status).mapValues(\.count)
      let line = RefusalLines.Line(last: refusals[refusals.count - 1], counts: counts)
      let entry = LogEntry(
        time: .now, level: .notice, message: "refused", metadata: line.metadata)
      return String(decoding: entry.line(.text), as: UTF8.self) + line.sentence
    }
    #expect(
      text([Self.refused(1)])
        == "sentrybench: refused from=10.0.0.1:1 status=503 why=\"too many\"\n"
        + "refused a connection from 10.0.0.1:1: too many")
    #expect(
      text([Self.refused(1), Self.refused(2)])
        == "sentrybench: refused from=10.0.0.1:2 refused=2 status=503 why=\"too many\"\n"
        + "refused a connection from 10.0.0.1:2, and 1 more: too many")
    var last = Self.refused(3, 404)
    last.path = "/x"
    #expect(
      text([Self.refused(1), Self.refused(2), last]).hasPrefix(
        "sentrybench: refused from=10.0.0.1:3 path=/x refused=3 status=404 status-404=1 "
          + "status-503=2 why=\"too many\"\n"))
  }
}
