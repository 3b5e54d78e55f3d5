import Sketches
import TestSupport
import Testing

@testable import Engine

/// The parsing of lines into requests, or into answers that state what was expected.
@Suite struct APIRequestTests {
  @Test(arguments: [
    (#"{"id": 1, "do": "state"}"#, APIRequest.state),
    (#"{"do": "send", "id": "a", "bytes": "X90."}"#, .send(Array("X90.".utf8), at: nil)),
    (
      #"{"id": 1, "do": "send", "bytes": "\u00ff\u0000", "at": 1.5}"#,
      .send([255, 0], at: .zero + .milliseconds(1_500))
    ),
    (#"{"id": 1, "do": "speed", "baud": 115200}"#, .speed(115_200)),
    (
      #"{"id": 1, "do": "format", "format": "8E1"}"#,
      .format(LineFormat(dataSize: 8, parity: .even))
    ),
    (#"{"id": 1, "do": "break", "seconds": 0.25}"#, .lineBreak(.milliseconds(250))),
    (
      #"{"id": 1, "do": "set", "pin": "D2", "level": 1}"#,
      .input(.level(BoardPin(arduino: 2)!, true), at: nil)
    ),
    (
      #"{"id": 1, "do": "set", "pin": "A0", "level": false, "at": 1.5}"#,
      .input(.level(BoardPin(arduino: 14)!, false), at: .zero + .milliseconds(1_500))
    ),
    (
      #"{"id": 1, "do": "analog", "pin": "A0", "volts": 2.5}"#,
      .input(.voltage(BoardPin(arduino: 14)!, microvolts: 2_500_000), at: nil)
    ),
    (#"{"id": 1, "do": "lines", "rts": false}"#, .lines(dtr: nil, rts: false)),
    (#"{"id": 1, "do": "reset", "dead": 0.5}"#, .reset(.milliseconds(500))),
    (#"{"id": 1, "do": "events"}"#, .events(from: 0, max: 10_000)),
    (#"{"id": 1, "do": "hello", "version": 1}"#, .hello(ends: false)),
    (#"{"id": 1, "do": "run", "until": 2.0000001}"#, .run(until: .zero + .microseconds(2_000_001))),
  ]) func `A line becomes a request`(_ line: String, _ request: APIRequest) throws {
    #expect(try APIRequest.parse(Array(line.utf8)).request == request)
  }

  @Test(arguments: [
    ("state", "column 1: expected a JSON value, found 's'"),
    (#"{"id": 1, "do": "state""#, "column 24: expected ',' or '}', found the end of the line"),
    (#"[1]"#, #"expected an object, for example {"id": 1, "do": "state"}, found a list"#),
    (
      #"{"do": "state"}"#,
      #"expected "id" to be a whole number or a text of at most 80 characters, found none"#
    ),
    (
      #"{"id": 1.5, "do": "state"}"#,
      #"expected "id" to be a whole number or a text of at most 80 characters, found 1.5"#
    ),
    (
      #"{"id": 1, "do": "set", "pin": "D20", "level": 1}"#,
      #"expected "pin" to be a pin of the board, "D0" to "D13" or "A0" to "A5", found "D20""#
    ),
    (
      #"{"id": 1, "do": "set", "pin": "D2", "level": 2}"#,
      #"expected "level" to be 0 or 1, found 2"#
    ),
    (
      #"{"id": 1, "do": "analog", "pin": "A0", "volts": 5.1}"#,
      #"expected "volts" to be volts from 0 to 5 with at most six places, for example 2.5, found 5.1"#
    ),
    (
      #"{"id": 1, "do": "send", "byte": "X"}"#,
      #"expected the keys of "send": id, do, bytes, at; found "byte"; did you mean "bytes"?"#
    ),
    (
      #"{"id": 1, "do": "send", "bytes": "€"}"#,
      "expected \"bytes\" to be a text whose characters are the bytes, U+0000 to U+00FF, as in a "
        + "trace, found \"€\""
    ),
    (
      #"{"id": 1, "do": "send", "bytes": "X", "at": -1}"#,
      #"expected "at" to be a time in seconds, for example 1.5, found -1"#
    ),
    (
      #"{"id": 1, "do": "send", "bytes": "X", "at": 1e9}"#,
      #"expected "at" to be a time in seconds, for example 1.5, found 1000000000"#
    ),
    (
      #"{"id": 1, "do": "run"}"#,
      #"expected "until" to be a time in seconds, for example 1.5, found none"#
    ),
    (
      #"{"id": 1, "do": "format", "format": "8X1"}"#,
      #"expected "format" to be a format, for example "8E1", found "8X1""#
    ),
    (
      #"{"id": 1, "do": "break", "seconds": 3601}"#,
      #"expected "seconds" to be a time of at most 3600 s, found 3601"#
    ),
    (#"{"id": 1, "do": "lines"}"#, #"expected "dtr" to be true or false, found none"#),
    (#"{"id": 1, "do": "lines", "dtr": 1}"#, #"expected "dtr" to be true or false, found 1"#),
    (
      #"{"id": 1, "do": "hello", "version": 2}"#,
      #"expected "version" to be 1, the only version of this program, found 2"#
    ),
    (
      #"{"id": 1, "do": "events", "max": 0}"#,
      #"expected "max" to be a number from 1 to 10000, found 0"#
    ),
    (
      #"{"id": 1, "do": "expect", "rule": {"servo": 110, "withinn": "50ms"}}"#,
      #"in "rule": there is no rule "withinn"; did you mean "within"?"#
    ),
    (
      #"{"id": 1, "do": "expect", "rule": {"exit": 0}}"#,
      "expected \"rule\" to be a rule about the session: how the sender ends is known to its client, "
        + "found an object"
    ),
    (
      #"{"id": 1, "do": "expect", "rule": [{"servo": 110}]}"#,
      #"expected "rule" to be an object, for example {"servo": 110}, found a list"#
    ),
  ]) func `A mistake says what was expected`(_ line: String, _ message: String) {
    #expect {
      try APIRequest.parse(Array(line.utf8))
    } throws: {
      ($0 as? APIRequest.Mistake)?.message == message
    }
  }

  @Test func `Lines are split wherever their bytes were, and a long one is skipped`() {
    var lines = APILines()
    #expect(lines.take(Array("ab".utf8)) == [])
    #expect(lines.take(Array("c\r\n\nd\n".utf8)) == [.text(Array("abc".utf8)), .text([0x64])])
    let long = [UInt8](repeating: 0x20, count: APILines.lengthMax + 1)
    #expect(lines.take(long) == [])
    #expect(lines.take(Array("x\ny".utf8)) == [.tooLong])
    #expect(lines.finish() == .text([0x79]))
    #expect(lines.finish() == nil)
  }

  /// Every request with pieces replaced, cut and joined at random.
  @Test(arguments: 1...20) func `No line traps, and each has one answer at most at once`(
    _ seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let pieces =
      APIRequest.keys.flatMap { [#""do": "\#($0.name)""#] + $0.others.map { #""\#($0)""# } } + [
        "{", "}", "[", "]", ",", ":", #""id": 1"#, "1", "-1", "1.5", "1e18", "9e999", "true",
        "null", #""X90.""#, #""L""#, #""\u00ff""#, #""\ud800""#, "\u{FF}", #"{"servo": 110}"#,
        #"{"never": ["lost"]}"#, #"{"quiet": "1s"}"#, #"{"commands": "at most 3 in 1s"}"#,
        #"{"trace": "/nonexistent"}"#, #"{"exactly": [{"servo": 1}]}"#,
        #"{"servo": 110, "within": "999999999s", "of": "*"}"#, #"{"shaft": "90 ± 2"}"#,
        #"{"ends": {"sweeping": true}}"#, #"{"gap": "at least 1ms"}"#,
      ]
    let session = AskedSession(isVirtual: seed.isMultiple(of: 2), log: APILog(textMax: 5_000))
    var time: Int64 = 0
    for _ in 0..<200 {
      var line = #"{"id": 1"#
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        line += Bool.random(using: &random) ? ", " : ": "
        line += pieces.randomElement(using: &random) ?? ""
      }
      if Int.random(in: 0..<8, using: &random) > 0 { line += "}" }
      var bytes = Array(line.utf8)
      if Int.random(in: 0..<5, using: &random) == 0, !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = session.ask(bytes.filter { $0 != 0x0A })
      time += Int64.random(in: 0...50, using: &random)
      _ = session.pass(to: time)
    }
    #expect(session.end().last?.contains(#""rules": ["#) == true, "seed \(seed)")
  }

  /// Whole requests of every kind, in any order and at any time.
  @Test(arguments: 21...40) func `Requests in any order are answered, in real or virtual time`(
    _ seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let requests = [
      #""hello", "version": 1"#, #""ready""#, #""send", "bytes": "X90.""#, #""send", "bytes": "L""#,
      #""send", "bytes": "?X1", "at": 2"#, #""send", "bytes": "X45.", "at": 1.2"#,
      #""speed", "baud": 4800"#, #""speed", "baud": 9600"#, #""lines", "dtr": true"#,
      #""format", "format": "7E1""#, #""format", "format": "8N1""#, #""break", "seconds": 0.1"#,
      #""lines", "dtr": false"#, #""reset", "dead": 0"#, #""state""#, #""counts""#, #""events""#,
      #""subscribe", "from": 0"#, #""unsubscribe""#, #""explain""#, #""plot""#, #""trace""#,
      #""expect", "rule": {"servo": "0..180", "within": "1s"}"#,
      #""expect", "rule": {"servo": 45, "of": "X45."}"#,
      #""expect", "rule": {"never": ["lost", "junk"]}"#,
      #""expect", "rule": {"tx": "ok *", "before": "3s"}"#, #""run", "until": 1"#,
    ]
    let session = AskedSession(
      .allCases.randomElement(using: &random) ?? .classic, isVirtual: seed.isMultiple(of: 2))
    var asked = 0
    var answered = 0
    for index in 0..<150 {
      let request = requests.randomElement(using: &random) ?? ""
      asked += 1
      let written = session.ask(#"{"id": \#(index), "do": \#(request)}"#)
      let later = session.pass(to: Int64(index * 20))
      // The driver draws the picture that answers a request.
      answered += (written + later).count { $0.hasPrefix(#"{"id": "#) || $0.hasPrefix("plot ") }
    }
    answered += session.end().count { $0.hasPrefix(#"{"id": "#) }
    #expect(answered == asked, "seed \(seed)")
  }
}
