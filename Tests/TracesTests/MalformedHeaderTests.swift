import Sketches
import Testing
import Traces

private let start = #"{"format": "sentry-trace", "version": 1, "#
private let pins = "a list of pins, each once (\(BoardPin.names)), found "
private let bauds = #"expected "baud" to be a speed from 1 to 2000000, found "#
private let firmwares = #"expected "firmware" to be a name of 1 to 64 bytes, found "#
private let outputs = Output.Kind.allCases.map { "\"\($0.name)\"" }.joined(separator: ", ")
private let seconds = "seconds below 1 000 000 000, with at most nine places, found "

@Suite("Malformed headers")
struct MalformedHeaderTests {
  static let shape: [Malformed] = [
    Malformed(
      "‸\n",
      "expected a header, which starts with '{', found the end of the line", line: 1),
    Malformed("‸[1, 2]\n", "expected a header, which starts with '{', found '['", line: 1),
    Malformed(
      "‸\u{FEFF}\(head)\n",
      "expected a header, which starts with '{', found the byte 0xEF", line: 1),
    Malformed("{‸format}\n", "expected a key in quotes, found 'f'", line: 1),
    Malformed("\(start)‸}\n", "expected a key in quotes, found '}'", line: 1),
    Malformed("\(head)‸,\n", "expected the end of the line, found ','", line: 1),
    Malformed(
      "\(start)\"title\": \"a‸", "expected the string's closing quote, found the end of the line",
      line: 1),
    Malformed(
      "\(start)\"a\": 1, ‸\"a\": 2}\n", "expected each key once, found \"a\" again", line: 1),
    Malformed(
      "\(start)‸\"version\": 1}\n", "expected each key once, found \"version\" again", line: 1),
    Malformed(
      "\(start)\"a\": \(String(repeating: "[", count: 64))‸[[",
      "expected at most 64 levels of nesting",
      line: 1),
  ]

  static func format(_ found: String) -> String {
    "expected format \"sentry-trace\" version 1, found " + found
  }

  static let versions: [Malformed] = [
    Malformed(
      "{\"format\": ‸\"asciicast\", \"version\": 1}\n", format("format \"asciicast\" version 1"),
      line: 1),
    Malformed(
      "{\"format\": \"sentry-trace\", \"version\": ‸2}\n",
      format("format \"sentry-trace\" version 2"), line: 1),
    Malformed(
      "{\"format\": \"sentry-trace\", \"version\": ‸\"1\"}\n",
      format("format \"sentry-trace\" version \"1\""), line: 1),
    Malformed("{‸}\n", format("format none version none"), line: 1),
    Malformed(
      "{\"version\": 2, \"width\": 80‸}\n", format("format none version 2"), line: 1),
    Malformed(
      "{\"format\": \"sentry-trace\"‸}\n", format("format \"sentry-trace\" version none"), line: 1),
  ]

  static let keys: [Malformed] = [
    ("\"firmware\": ‸\"\"", firmwares + "\"\""),
    ("\"firmware\": ‸1", firmwares + "1"),
    ("\"board\": ‸\"mega\"", #"expected "board" to be "uno", found "mega""#),
    ("\"board\": ‸null", #"expected "board" to be "uno", found null"#),
    ("\"baud\": ‸\"9600\"", bauds + "\"9600\""),
    ("\"baud\": ‸0", bauds + "0"),
    ("\"baud\": ‸-9600", bauds + "-9600"),
    ("\"baud\": ‸9600.5", bauds + "9600.5"),
    ("\"baud\": ‸2000001", bauds + "2000001"),
    ("\"duration\": ‸\"2\"", "expected \"duration\" to be \(seconds)\"2\""),
    ("\"duration\": ‸-1", "expected \"duration\" to be \(seconds)-1"),
    ("\"duration\": ‸1000000000", "expected \"duration\" to be \(seconds)1000000000"),
    ("\"duration\": ‸0.0000000001", "expected \"duration\" to be \(seconds)0.0000000001"),
    ("\"tolerance\": ‸true", "expected \"tolerance\" to be \(seconds)true"),
    ("\"tolerance\": ‸[1]", "expected \"tolerance\" to be \(seconds)a list"),
    ("\"start\": ‸\"warm\"", #"expected "start" to be "reset" or "unknown", found "warm""#),
    ("\"clock\": ‸\"wall\"", #"expected "clock" to be "device" or "host", found "wall""#),
    (
      "\"expects\": ‸\"servo\"",
      "expected \"expects\" to be a list of some of \(outputs), found \"servo\""
    ),
    (
      "\"expects\": ‸[\"servo\", \"rx\"]",
      "expected \"expects\" to be a list of some of \(outputs), found \"rx\""
    ),
    ("\"pins\": ‸\"D7\"", "expected \"pins\" to be \(pins)\"D7\""),
    ("\"pins\": ‸[\"D7\", \"D99\"]", "expected \"pins\" to be \(pins)a list"),
    ("\"title\": ‸5", "expected \"title\" to be a string, found 5"),
    ("\"source\": ‸{}", "expected \"source\" to be a string, found an object"),
    ("\"recorded\": ‸false", "expected \"recorded\" to be a string, found false"),
  ].map { Malformed("\(start)\($0.0)}\n", $0.1, line: 1) }

  @Test(arguments: shape + versions + keys)
  func `A malformed header is refused with column and what was expected`(_ malformed: Malformed) {
    #expect(malformed.complaint(prefix: "") == nil)
  }

  @Test
  func `An empty file is refused at its first column`() {
    let error = #expect(throws: TraceError.self) { try ReadTrace("") }
    #expect(
      error?.description == "t.jsonl:1:1: error: expected a header, found an empty file")
  }

  @Test
  func `The pins that a session shows are in the order of their numbers`() throws {
    var header = Header(firmware: .classic, duration: .seconds(1), title: "t")
    header.set(pins: Set(["A0", "D13", "D7"].compactMap { BoardPin(name: $0) }))
    var line: [UInt8] = []
    line.appendLine(header)
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.contains(#""duration": 1, "pins": ["D7", "D13", "A0"], "title": "t"}"#))
    #expect(try ReadTrace(text).header.pins == header.pins)
    header.set(pins: [])
    #expect(!header.members.contains { $0.key == "pins" })
  }

  @Test
  func `Missing header keys have the format's defaults`() throws {
    let header = try ReadTrace(head).header
    #expect(header.firmware == nil)
    #expect(header.baud == 9_600)
    #expect(header.duration == nil)
    #expect(header.start == .reset)
    #expect(header.clock == .device)
    #expect(header.expects == nil)
    #expect(header.tolerance.nanoseconds == 200_000)
    #expect(
      try ReadTrace("\(start)\"clock\": \"host\"}").header.tolerance.nanoseconds == 20_000_000)
  }
}
