import Judging
import Sketches
import Testing

@testable import Engine

/// Clients of sessions whose beginning is no longer kept.
@Suite struct LongClientSessionTests {
  /// A session that has swept for longer than its events are kept, after junk and two commands.
  private static func session() -> AskedSession {
    let client = AskedSession(isVirtual: true)
    _ = client.ask(#"{"id": 1, "do": "send", "bytes": "?X45.L", "at": 1.5}"#)
    _ = client.pass(to: 2_000_000)
    return client
  }

  private static func expect(_ rule: String, _ client: AskedSession) throws -> String {
    try #require(client.ask(#"{"id": 2, "do": "expect", "rule": \#(rule)}"#).first)
  }

  @Test func `What no rule needs is not kept`() {
    let client = Self.session()
    let record = client.session.timeline.followers.client?.record
    #expect((record?.begin ?? .zero) > .zero)
    #expect((record?.load ?? 0) <= SessionRecord.stretch)
  }

  @Test(arguments: [
    (#"{"never": "junk"}"#, "`?` was junk"),
    (#"{"never": ["lost", "reset"]}"#, #""verdict": "open""#),
    (#"{"commands": "at most 1"}"#, "the sender had sent 2 commands by"),
    (#"{"commands": "2"}"#, #""verdict": "open""#),
    (#"{"ends": {"sweeping": true}}"#, #""verdict": "open""#),
    (#"{"angles": "10..170"}"#, "are no longer kept; state it earlier"),
    (#"{"gap": "at least 20ms"}"#, "are no longer kept; state it earlier"),
  ])
  func `A rule that is stated late knows what is known`(_ rule: String, _ answer: String) throws {
    let answered = try Self.expect(rule, Self.session())
    #expect(answered.contains(answer), "\(answered)")
  }

  @Test func `A rule that is stated early is judged from the start`() throws {
    let client = AskedSession(isVirtual: true)
    #expect(try Self.expect(#"{"angles": "0..180"}"#, client).contains("open"))
    _ = client.ask(#"{"id": 1, "do": "send", "bytes": "L", "at": 1.5}"#)
    _ = client.ask(#"{"id": 3, "do": "expect", "rule": {"servo": 45, "of": "X45."}}"#)
    #expect(client.pass(to: 2_000_000).isEmpty)
    let last = client.end().joined()
    #expect(last.contains(#""holds": 1, "fails": 1"#), "\(last)")
    #expect(last.contains("no \\\"X45.\\\" was sent"), "\(last)")
  }
}
