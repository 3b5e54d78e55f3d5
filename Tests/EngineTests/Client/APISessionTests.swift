import Devices
import Judging
import Sketches
import Testing
import Traces

@testable import Engine

/// A client's requests and their answers, without a socket or a clock.
@Suite struct APISessionTests {
  // MARK: Inputs

  @Test func `Bytes reach the board at once, and the answer has their time`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    #expect(
      session.ask(#"{"id": 1, "do": "send", "bytes": "X110."}"#)
        == [#"{"id": 1, "ok": true, "time": 1.500001}"#])
    _ = session.pass(to: 1_600)
    #expect(session.session.counts.degrees == 110)
  }

  @Test func `Bytes with a time are sent at that time, in order of time`() {
    let session = AskedSession()
    #expect(
      session.ask(#"{"id": "b", "do": "send", "at": 2, "bytes": "L"}"#)
        == [#"{"id": "b", "ok": true, "time": 2.000000}"#])
    _ = session.ask(#"{"id": "a", "do": "send", "at": 1.5, "bytes": "X\u00ff"}"#)
    _ = session.pass(to: 2_000)
    #expect(
      session.ask(#"{"id": 3, "do": "events", "from": 1, "max": 2}"#) == [
        #"{"id": 3, "ok": true, "from": 1, "next": 3, "lost": 0, "events": "#
          + #"[[1.500000, "rx", "X\u00ff"], [2.000000, "rx", "L"]]}"#
      ])
  }

  @Test(arguments: [
    ("D2", #""set", "pin": "D2", "level": 1"#),
    ("A0", #""analog", "pin": "A0", "volts": 2.5, "at": 3"#),
    ("hc-sr04@D7:D8", #""part", "part": "hc-sr04@D7:D8", "value": 0.35"#),
  ])
  func `A device without pins refuses an input`(_ target: String, _ request: String) {
    #expect(
      AskedSession().ask(#"{"id": 1, "do": \#(request)}"#) == [
        #"{"id": 1, "ok": false, "error": "\#(target) can be set only on the emulated chip: use "#
          + #"--device avr:FILE"}"#
      ])
  }

  @Test func `A time that has passed is refused`() {
    let session = AskedSession()
    _ = session.pass(to: 1_600)
    #expect(
      session.ask(#"{"id": 1, "do": "send", "at": 1.5, "bytes": "L"}"#) == [
        #"{"id": 1, "ok": false, "error": "expected \"at\" to be later than now, 1.600000, found "#
          + #"1.500000"}"#
      ])
  }

  @Test func `More bytes than the line holds are refused`() {
    let session = AskedSession()
    let bytes = String(repeating: "L", count: 16_000)
    #expect(session.ask(#"{"id": 1, "do": "send", "bytes": "\#(bytes)"}"#).count == 1)
    let refusal = session.ask(#"{"id": 2, "do": "send", "bytes": "\#(bytes)"}"#)
    #expect(
      refusal == [
        #"{"id": 2, "ok": false, "error": "16000 bytes are already waiting for the line, and with "#
          + #"these there would be more than 16384; send them later"}"#
      ])
  }

  @Test func `A set DTR restarts the board once, and again after it was released`() {
    let session = AskedSession()
    _ = session.pass(to: 2_000)
    for request in [
      #"{"id": 1, "do": "lines", "dtr": true}"#, #"{"id": 2, "do": "lines", "dtr": true}"#,
      #"{"id": 3, "do": "lines", "dtr": false, "rts": true}"#,
      #"{"id": 4, "do": "lines", "dtr": true}"#,
    ] { #expect(session.ask(request).first?.contains(#""ok": true"#) == true) }
    #expect(
      session.ask(#"{"id": 5, "do": "events", "from": 1}"#).first?.contains(
        #"[[2.000001, "reset", 1], [2.000002, "reset", 1]]"#) == true)
  }

  @Test func `A request to wait for the sketch is answered when it listens`() {
    let session = AskedSession()
    #expect(session.ask(#"{"id": 1, "do": "ready"}"#) == [])
    #expect(session.pass(to: 900) == [])
    #expect(session.pass(to: 1_100) == [#"{"id": 1, "ok": true, "time": 1.100000}"#])
    #expect(session.ask(#"{"id": 2, "do": "ready"}"#).count == 1)
  }

  @Test func `The state and the counts are those of the session`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X110."}"#)
    _ = session.pass(to: 3_000)
    #expect(
      session.ask(#"{"id": 2, "do": "state"}"#) == [
        #"{"id": 2, "ok": true, "time": 3.000000, "servo": 110, "pulse": 1678, "shaft": 110, "#
          + #""sweeping": false, "activity": "idle", "ready": true, "tone": null, "on_line": 0, "#
          + #""waiting": 0, "baud": 9600}"#
      ])
    #expect(
      session.ask(#"{"id": 3, "do": "counts"}"#) == [
        #"{"id": 3, "ok": true, "time": 3.000000, "received": 5, "commands": 1, "servo": 2, "#
          + #""transmitted": 0, "lost": {}, "events": 3, "rules": 0}"#
      ])
  }

  // MARK: Rules

  @Test func `A rule that holds is answered as soon as it is met`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X110."}"#)
    let rule = #"{"servo": 110, "within": "50ms", "of": "X110."}"#
    #expect(session.ask(#"{"id": 2, "do": "expect", "rule": \#(rule)}"#) == [])
    #expect(session.pass(to: 1_504) == [])
    #expect(
      session.pass(to: 1_506)
        == [#"{"id": 2, "ok": true, "verdict": "holds", "time": 1.505267}"#])
  }

  @Test func `A pin that a rule names is watched from then on`() throws {
    let (fire, laser) = (BoardPin(name: "D7"), BoardPin(name: "D8"))
    let session = AskedSession(pins: [try #require(laser)])
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "expect", "rule": {"never": {"pin D8": 1}}}"#)
    #expect(session.watched == [])
    _ = session.ask(#"{"id": 2, "do": "expect", "rule": {"pin D7": 1}}"#)
    #expect(session.watched == [.some([try #require(fire)])])
    _ = session.pass(to: 1_600)
    session.session.timeline.followers.pass(
      Event(.zero + .milliseconds(1_600), .output(.pin(try #require(fire), isHigh: true)))
    ) { _ in }
    #expect(
      session.pass(to: 1_601) == [#"{"id": 2, "ok": true, "verdict": "holds", "time": 1.600000}"#])
    let model = AskedSession()
    #expect(
      model.ask(#"{"id": 3, "do": "expect", "rule": {"ends": {"pin D7": 0}}}"#).first?
        .contains("the session shows no levels of pins") == true)
    #expect(model.watched == [])
  }

  @Test func `A rule about a whole session is open, although it names an output`() {
    let session = AskedSession(pins: [])
    #expect(
      session.ask(#"{"id": 1, "do": "expect", "rule": {"pin D7": "pulse", "count": 0}}"#)
        == [#"{"id": 1, "ok": true, "verdict": "open"}"#])
    #expect(session.end().last?.contains(#""holds": 1, "fails": 0"#) == true)
  }

  @Test func `A rule that fails is answered when its time is up, with the client's place`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X110"}"#)
    let rule = #"{"servo": 110, "within": "50ms"}"#
    _ = session.ask(#"{"id": 2, "do": "expect", "rule": \#(rule), "place": "test_aim.py:7"}"#)
    #expect(session.nextDeadline == .zero + .nanoseconds(1_553_126_998))
    #expect(session.pass(to: 1_553) == [])
    let answer = session.pass(to: 1_554)
    #expect(answer.count == 1)
    #expect(
      answer.first?.hasPrefix(
        #"{"id": 2, "ok": true, "verdict": "fails", "time": 1.553126, "#
          + #""text": "test_aim.py:7: servo 110 within 50 ms failed\n"#) == true)
  }

  @Test func `The first rule that fails names the sender's wrong speed, before the rule`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "speed", "baud": 115200}"#)
    _ = session.ask(#"{"id": 2, "do": "send", "bytes": "X110."}"#)
    let rule = #"{"servo": 110, "within": "50ms"}"#
    _ = session.ask(#"{"id": 3, "do": "expect", "rule": \#(rule), "place": "test_aim.py:7"}"#)
    _ = session.ask(#"{"id": 4, "do": "expect", "rule": \#(rule), "place": "test_aim.py:8"}"#)
    let answers = session.pass(to: 1_600)
    let speeds = "the sender writes at 115200 baud, the board listens at 9600"
    #expect(answers.count == 2)
    #expect(answers.first?.contains(#""text": "\#(speeds)\ntest_aim.py:7: servo 110"#) == true)
    #expect(answers.last?.contains(#""text": "test_aim.py:8: servo 110"#) == true)
  }

  @Test func `A rule that nothing decides fails when its patience is over`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    let reach = Reach(.servo(45...45, name: nil), of: TextPattern("X45."))
    let request = APIRequest.expect(Rule(.reaches(reach)), patience: .milliseconds(30))
    #expect(session.ask(request) == [])
    #expect(session.nextDeadline == .zero + .microseconds(1_530_001))
    #expect(session.pass(to: 1_530) == [])
    let answer = session.pass(to: 1_531)
    #expect(answer.count == 1)
    #expect(answer.first?.contains(#"no \"X45.\" was sent"#) == true)
    #expect(answer.first?.contains("the expectation waited for 30 ms") == true)
    #expect(session.nextDeadline == nil)
  }

  @Test func `A rule about a command that silence breaks off is answered after the silence`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X45"}"#)
    _ = session.ask(#"{"id": 2, "do": "expect", "rule": {"servo": 45, "of": "X45."}}"#)
    // The last byte begins at 1.502084.
    #expect(session.nextDeadline == .zero + .nanoseconds(2_002_085_332))
    #expect(session.pass(to: 2_002) == [])
    #expect(session.pass(to: 2_003).first?.contains(#""verdict": "fails""#) == true)
    #expect(session.nextDeadline == nil)
  }

  @Test func `A rule whose output never comes is decided after its patience`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "expect", "rule": {"servo": 45}, "patience": 0.25}"#)
    _ = session.ask(
      #"{"id": 2, "do": "expect", "rule": {"servo": 50, "of": "X50."}, "patience": 0.25}"#)
    #expect(session.pass(to: 1_749) == [])
    let answers = session.pass(to: 1_751)
    #expect(answers.count == 2)
    #expect(answers.first?.contains(#""verdict": "fails""#) == true)
    #expect(answers.first?.contains("the expectation waited for 250 ms") == true)
    #expect(answers.last?.contains(#"no \"X50.\" was sent"#) == true)
    // The next rule does not have to wait.
    _ = session.ask(#"{"id": 3, "do": "send", "bytes": "X45."}"#)
    #expect(session.ask(#"{"id": 4, "do": "expect", "rule": {"servo": 45}}"#) == [])
    #expect(session.pass(to: 1_800).first?.contains(#""verdict": "holds""#) == true)
  }

  @Test func `Rules are met one after the other, whenever they were stated`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    for (id, rule) in [#"{"servo": 45}"#, #"{"servo": 135}"#, #"{"servo": 45}"#].enumerated() {
      _ = session.ask(#"{"id": \#(id), "do": "expect", "rule": \#(rule)}"#)
    }
    _ = session.ask(#"{"id": 9, "do": "send", "bytes": "X135.X45.X135."}"#)
    #expect(
      session.pass(to: 1_600).map { $0.prefix(44) } == [
        #"{"id": 0, "ok": true, "verdict": "holds", "t"#,
        #"{"id": 1, "ok": true, "verdict": "holds", "t"#,
      ])
    #expect(session.session.timeline.followers.client?.rules.openCount == 1)
  }

  @Test func `A rule about the session is open at first, and is reported when it breaks`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    let rule = #"{"never": ["junk"]}"#
    #expect(
      session.ask(#"{"id": 1, "do": "expect", "rule": \#(rule)}"#)
        == [#"{"id": 1, "ok": true, "verdict": "open"}"#])
    _ = session.ask(#"{"id": 2, "do": "send", "bytes": "?"}"#)
    let notes = session.pass(to: 1_600)
    #expect(notes.count == 1)
    #expect(notes.first?.hasPrefix(#"{"note": "verdict", "rule": 1, "verdict": "fails", "#) == true)
    // Already broken.
    let again = session.ask(#"{"id": 3, "do": "expect", "rule": \#(rule)}"#)
    #expect(again.first?.hasPrefix(#"{"id": 3, "ok": true, "verdict": "fails", "#) == true)
  }

  @Test func `The end decides every rule, and lists those that only it decides`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "expect", "rule": {"never": ["lost"]}}"#)
    _ = session.ask(#"{"id": 2, "do": "expect", "rule": {"ends": {"servo": 90}}}"#)
    _ = session.ask(#"{"id": 3, "do": "expect", "rule": {"servo": 45}, "place": "a"}"#)
    _ = session.ask(#"{"id": 4, "do": "send", "bytes": "L"}"#)
    _ = session.pass(to: 1_700)
    #expect(session.ask(#"{"id": 5, "do": "end"}"#) == [])
    session.decide()
    #expect(session.isEnding)
    let last = session.end(status: .disagree)
    #expect(last.count == 2)
    #expect(last.first?.hasPrefix(#"{"id": 3, "ok": true, "verdict": "fails""#) == true)
    let report = last.last ?? ""
    #expect(report.hasPrefix(#"{"id": 5, "ok": true, "time": 1.700001, "status": 1, "#))
    #expect(report.contains(#""holds": 1, "fails": 2, "rules": ["#))
    #expect(report.contains(#"{"rule": 1, "verdict": "holds"}"#))
    #expect(report.contains(#"{"rule": 2, "verdict": "fails", "#))
  }

  @Test func `A session that ends by itself says so to its client`() {
    let session = AskedSession()
    _ = session.pass(to: 1_000)
    #expect(
      session.end(status: .signal(2)) == [
        #"{"note": "over", "time": 1.000001, "status": 130, "holds": 0, "fails": 0, "rules": []}"#
      ])
  }

  @Test func `A client can have at most so many rules undecided`() {
    let session = AskedSession()
    for id in 0..<APIRules.countMax {
      #expect(session.ask(#"{"id": \#(id), "do": "expect", "rule": {"servo": 45}}"#) == [])
    }
    let refusal = session.ask(#"{"id": "x", "do": "expect", "rule": {"servo": 45}}"#)
    #expect(
      refusal == [
        #"{"id": "x", "ok": false, "error": "1000 rules are not decided yet; a session can have "#
          + #"no more"}"#
      ])
  }

  // MARK: Events

  @Test func `Events follow a subscription until it ends`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    #expect(
      session.ask(#"{"id": 1, "do": "subscribe"}"#) == [#"{"id": 1, "ok": true, "from": 1}"#])
    _ = session.ask(#"{"id": 2, "do": "send", "bytes": "X45."}"#)
    #expect(
      session.pass(to: 1_600) == [
        #"{"note": "events", "from": 1, "events": [[1.500001, "rx", "X45."], "#
          + #"[1.504225, "servo", 45, 1008]]}"#
      ])
    _ = session.ask(#"{"id": 3, "do": "unsubscribe"}"#)
    _ = session.ask(#"{"id": 4, "do": "send", "bytes": "X46."}"#)
    #expect(session.pass(to: 1_700) == [])
  }

  @Test func `A client that does not read loses events, and is told how many`() throws {
    let session = AskedSession(log: APILog(textMax: 1_000))
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "subscribe", "from": 0}"#)
    session.session.clientBacklog = 1 << 20
    _ = session.ask(#"{"id": 2, "do": "send", "bytes": "L"}"#)
    #expect(session.pass(to: 9_000) == [])
    #expect(session.session.isClientBehind)
    session.session.clientBacklog = 0
    let written = session.pass(to: 9_001)
    let lost = try #require(session.session.timeline.followers.client?.log.first) - 1
    #expect(lost > 100)
    #expect(written.first == #"{"note": "lost", "events": \#(lost)}"#)
    #expect(written.dropFirst().first?.hasPrefix(#"{"note": "events", "from": "#) == true)
    #expect(!session.session.isClientBehind)
    // Requests that concern the whole session are then refused.
    #expect(session.ask(#"{"id": 3, "do": "trace"}"#).first?.contains("no longer kept") == true)
  }

  @Test func `A sketch that no model behaves as is explained by what was seen`() {
    let session = AskedSession(sketch: "pan-tilt")
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X45"}"#)
    _ = session.pass(to: 2_000)
    let explanation = session.ask(#"{"id": 2, "do": "explain"}"#).first ?? ""
    #expect(explanation.contains(#"{"byte": 88, "arrived": 1.501043"#), "\(explanation)")
    #expect(!explanation.contains("had no end"))
    let drawn = session.ask(#"{"id": 3, "do": "plot"}"#).first ?? ""
    #expect(drawn.hasPrefix("plot {") && drawn.contains(#""firmware": "pan-tilt""#))
  }

  @Test func `A rule about commands is refused if the sketch's commands are not known`() {
    let session = AskedSession(sketch: "pan-tilt")
    let refusal = session.ask(#"{"id": 1, "do": "expect", "rule": {"never": "junk"}}"#).first ?? ""
    #expect(refusal.hasPrefix(#"{"id": 1, "ok": false, "error": "\"never: junk\" cannot be"#))
    let taken = session.ask(#"{"id": 2, "do": "expect", "rule": {"never": "lost"}}"#).first ?? ""
    #expect(taken.hasPrefix(#"{"id": 2, "ok": true"#), "\(taken)")
    let hello = session.ask(#"{"id": 3, "do": "hello", "version": 1}"#).first ?? ""
    #expect(hello.contains(#""firmware": "pan-tilt""#), "\(hello)")
  }

  @Test func `The explanation, the picture and the trace are those of the session so far`() {
    let session = AskedSession()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X45"}"#)
    _ = session.pass(to: 2_000)
    let explanation = session.ask(#"{"id": 2, "do": "explain"}"#).first ?? ""
    #expect(explanation.contains("`X45` had no end"))
    #expect(explanation.contains(#""bytes": [{"byte": 88, "arrived": 1.501043, "#))
    let drawn = session.ask(#"{"id": 3, "do": "plot"}"#).first
    #expect(drawn?.hasSuffix(#"[1.500001, "rx", "X45"]\n"#.replacing(#"\n"#, with: "\n")) == true)
    let trace = session.ask(#"{"id": 4, "do": "trace"}"#).first ?? ""
    #expect(trace.contains(#""trace": "{\"format\": \"sentry-trace\", \"version\": 1"#))
    #expect(trace.contains(#"\"duration\": 2}\n[0.000197, \"servo\", 90, 1472]\n"#))
  }

  // MARK: The client

  @Test func `The session ends with its client only if the client has asked for it`() {
    let staying = AskedSession()
    staying.leave()
    #expect(!staying.isEnding)
    let ending = AskedSession()
    let kinds = Output.Kind.allCases.filter { $0 != .pin && !$0.isOnRequest }
    let shown = kinds.map { "\"\($0.name)\"" }.sorted().joined(separator: ", ")
    #expect(
      ending.ask(#"{"id": 1, "do": "hello", "version": 1, "ends": true}"#) == [
        #"{"id": 1, "ok": true, "version": 1, "time": 0.000000, "virtual": false, "#
          + #""device": "model", "firmware": "classic", "baud": 9600, "#
          + #""shows": [\#(shown)], "#
          + #""environment": {"SENTRY_PORT": "/tmp/port"}}"#
      ])
    ending.leave()
    #expect(ending.isEnding)
  }

  @Test func `Answers to a client that has left are not given to the next one`() {
    let session = AskedSession()
    _ = session.ask(#"{"id": 1, "do": "ready"}"#)
    _ = session.ask(#"{"id": 2, "do": "expect", "rule": {"servo": 45}}"#)
    _ = session.ask(#"{"id": 3, "do": "expect", "rule": {"never": ["junk"]}}"#)
    session.leave()
    _ = session.pass(to: 1_500)
    _ = session.ask(#"{"id": 1, "do": "send", "bytes": "X45.?"}"#)
    #expect(session.pass(to: 1_700) == [])
    // The rules are still judged.
    #expect(session.end().last?.contains(#""holds": 1, "fails": 1, "#) == true)
  }

  @Test func `The answer to the end goes to its own client, and stays on standard output`() {
    for isLast in [false, true] {
      let session = AskedSession()
      _ = session.ask(#"{"id": "e", "do": "end"}"#)
      session.leave(isLast: isLast)
      #expect(session.end().last?.hasPrefix(#"{"id": "e", "#) == isLast)
    }
  }

  @Test func `A request has the clock's time, although nothing has happened since the last turn`() {
    let session = AskedSession()
    _ = session.pass(to: 1_000)
    let state = session.ask(#"{"id": 1, "do": "state"}"#, at: .zero + .seconds(5))
    #expect(state.first?.contains(#""time": 5.000000"#) == true)
    let late = session.ask(
      #"{"id": 2, "do": "send", "bytes": "L", "at": 3}"#, at: .zero + .seconds(5))
    #expect(late.first?.contains("later than now, 5.000000, found 3.000000") == true)
  }

  // MARK: Virtual time

  @Test func `In virtual time a run takes the bytes that are due, and ends at its time`() {
    let session = AskedSession(isVirtual: true)
    _ = session.ask(#"{"id": 1, "do": "send", "at": 1.5, "bytes": "X110."}"#)
    let rule = #"{"servo": 110, "within": "50ms", "of": "X110."}"#
    _ = session.ask(#"{"id": 2, "do": "expect", "rule": \#(rule)}"#)
    #expect(
      session.ask(#"{"id": 3, "do": "run", "until": 3}"#) == [
        #"{"id": 2, "ok": true, "verdict": "holds", "time": 1.505266}"#,
        #"{"id": 3, "ok": true, "time": 3.000000}"#,
      ])
    #expect(
      session.ask(#"{"id": 4, "do": "run", "until": 2}"#).first?.contains("later than now") == true)
  }

  @Test func `Time cannot be advanced in real time`() {
    #expect(
      AskedSession().ask(#"{"id": 1, "do": "run", "until": 3}"#) == [
        #"{"id": 1, "ok": false, "error": "time passes by itself in this session; --virtual starts "#
          + #"one in virtual time"}"#
      ])
  }
}
