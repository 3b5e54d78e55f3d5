import Sketches
import TestSupport
import Testing
import Traces

@Suite("The canonical form")
struct CanonicalTests {
  /// Lines that reading and writing leave unchanged.
  static let events = [
    #"[0.000197, "servo", 90, 1472]"#,
    #"[1.500000, "rx", "X45."]"#,
    #"[1.500000, "rx", ""]"#,
    #"[1.500000, "rx", "\"\\\b\f\n\r\t\u0000\u001f\u007f\u0080\u00ff ~/"]"#,
    #"[1.500000, "baud", 115200]"#,
    #"[1.500000, "reset", 0]"#,
    #"[1.500000, "reset", 1.6]"#,
    #"[1.500000, "set", "D2", 1]"#,
    #"[1.500000, "set", "A0", 0]"#,
    #"[1.500000, "analog", "A0", 2.5]"#,
    #"[1.500000, "analog", "D7", 0]"#,
    #"[1.500000, "analog", "A5", 4.882812]"#,
    #"[1.500000, "analog", "A7", 2.5]"#,
    #"[1.500000, "part", "hc-sr04@D7:D8", 0.35]"#,
    #"[1.500000, "part", "pca9685@0x40", 1000000]"#,
    #"[1.504224, "servo", 45, 1008]"#,
    #"[1.504224, "servo", 40, 1222, "D10"]"#,
    #"[1.504224, "servo", 40, 1222, "pca9685@0x40:15"]"#,
    #"[0.000000, "tx", "\""]"#,
    #"[9.999999, "tx", "\u0000"]"#,
    #"[10.000000001, "tx", "~"]"#,
    #"[100.000000, "tx", "A"]"#,
    #"[123456789.012345678, "tx", "A"]"#,
    #"[1.520000, "pulse", 1472]"#,
    #"[1.520000, "pulse", 1222.0625, "A0"]"#,
    #"[1.520000, "pulse", 1471.9375]"#,
    #"[1.600000, "tone", 900]"#,
    #"[1.600000, "tone", 900.09]"#,
    #"[1.600000, "tone", 0]"#,
    #"[2.000000, "tx", "A"]"#,
    #"[2.000000, "tx", "\u00ff"]"#,
    #"[2.000000001, "lost", "X", "ring-full"]"#,
    #"[2.000000, "lost", "\n", "uart-overrun"]"#,
    #"[2.000000, "lost", "\u00fe", "booting"]"#,
    #"[2.000000, "pin", "D7", 1]"#,
    #"[2.000000, "pin", "A5", 0]"#,
    #"[3.000000, "mark", "\u706f\u5854 \ud83c\udfaf \u00fc"]"#,
    #"[3.000000, "x-shaft", 12.345]"#,
    #"[3.000000, "x-empty"]"#,
    #"[3.000000, "x-nested", {"a": [1, 2, {"b": null}], "c": [], "d": {}}, [true, false, "\u00e9"], -0.5]"#,
    #"[123456.123456789, "mark", "late"]"#,
  ]

  @Test(arguments: events)
  func `Reading and writing leave a canonical event unchanged`(_ event: String) throws {
    let text = "\(head)\n\(event)\n"
    #expect(try ReadTrace(text).canonical == text)
  }

  @Test(arguments: Output.Kind.allCases)
  func `An output is written with its kind's word`(_ kind: Output.Kind) {
    var generator = SeededGenerator(seed: 1)
    var text: [UInt8] = []
    text.append(Output.random(kind, using: &generator))
    #expect(String(decoding: text, as: UTF8.self).hasPrefix("\"\(kind.name)\", "))
  }

  static let headers = [
    #"{"format": "sentry-trace", "version": 1}"#,
    #"{"format": "sentry-trace", "version": 1, "firmware": "classic", "board": "uno", "baud": 9600, "duration": 2.5, "title": "aim, then lose the target"}"#,
    #"{"zebra": [1, {"y": 2, "a": 1}], "version": 1, "apple": null, "format": "sentry-trace", "term": {"cols": 80}}"#,
    #"{"format": "sentry-trace", "version": 1, "expects": ["tx", "servo"], "tolerance": 0.0002, "clock": "host", "start": "unknown", "recorded": "2024-05-01T10:00:00Z", "source": "\u65e5\u672c"}"#,
    #"{"format": "sentry-trace", "version": 1, "big": 123456789012345678901, "small": 0.000001}"#,
  ]

  @Test(arguments: headers)
  func `Reading and writing leave a canonical header unchanged, even unknown keys`(_ header: String)
    throws
  {
    #expect(try ReadTrace(header + "\n").canonical == header + "\n")
  }

  static let nonCanonical: [(String, String)] = [
    (#"[1.5,"rx","X"]"#, #"[1.500000, "rx", "X"]"#),
    ("[ 1.5 , \"rx\" ,\t\"X\" ]\r", #"[1.500000, "rx", "X"]"#),
    (#"[1.5000000, "rx", "\u0058\u002E\/"]"#, #"[1.500000, "rx", "X./"]"#),
    (#"[1.5, "rx", "é\u00E9\u000A"]"#, #"[1.500000, "rx", "\u00e9\u00e9\n"]"#),
    (#"[1.5, "set", "2", 1]"#, #"[1.500000, "set", "D2", 1]"#),
    (#"[1.5, "analog", "14", 2.50]"#, #"[1.500000, "analog", "A0", 2.5]"#),
    (#"[1.5, "part", "hc-sr04@7:8", 0.350]"#, #"[1.500000, "part", "hc-sr04@D7:D8", 0.35]"#),
    (#"[1, "\u0072x", "X"]"#, #"[1.000000, "rx", "X"]"#),
    (#"[1, "\u0073ervo", 90, 1472]"#, #"[1.000000, "servo", 90, 1472]"#),
    (#"[1, "reset", 1.600]"#, #"[1.000000, "reset", 1.6]"#),
    (#"[1, "pulse", 1.472e3]"#, #"[1.000000, "pulse", 1472]"#),
    (#"[1,"servo",40,1222 ,"10"]"#, #"[1.000000, "servo", 40, 1222, "D10"]"#),
    (#"[1,"pin","19",1]"#, #"[1.000000, "pin", "A5", 1]"#),
    (#"[1, "tone", 900.090]"#, #"[1.000000, "tone", 900.09]"#),
    (#"[1, "mark", "🎯ü"]"#, #"[1.000000, "mark", "\ud83c\udfaf\u00fc"]"#),
    (#"[1, "x-n",1.50,-0,1E2,{"a":[ ]}]"#, #"[1.000000, "x-n", 1.5, 0, 100, {"a": []}]"#),
    (#"[1, "x-n", 1e400, 25e-24]"#, #"[1.000000, "x-n", 1e400, 25e-24]"#),
    (#"[1, "x-é"]"#, #"[1.000000, "x-\u00e9"]"#),
  ]

  @Test(arguments: nonCanonical)
  func `Another spelling becomes canonical and stays so`(_ line: String, _ canonical: String) throws
  {
    let text = "\(head)\n\(canonical)\n"
    #expect(try ReadTrace("\(head)\n\(line)\n").canonical == text)
    #expect(try ReadTrace(text).canonical == text)
  }

  @Test(arguments: [
    "1.5e-9223372036854775808", "10e9223372036854775807", "1e99999999999999999999",
    "1.25E-2147483648", "100e2147483647",
  ])
  func `A number whose exponent overflows any integer is preserved`(_ number: String) throws {
    let once = try ReadTrace(
      "{\"format\": \"sentry-trace\", \"version\": 1, \"n\": \(number)}\n[1, \"x-n\", \(number)]\n"
    ).canonical
    #expect(try ReadTrace(once).canonical == once)
    #expect(once.lowercased().contains("e"))
  }

  @Test
  func `A new header has its keys in the format's order`() {
    var header = Header(firmware: .buzzer, duration: .milliseconds(2_500), title: "t \"q\"")
    var bytes: [UInt8] = []
    bytes.appendLine(header)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"format": "sentry-trace", "version": 1, "firmware": "buzzer", "board": "uno", "baud": 9600, "duration": 2.5, "title": "t \"q\""}"#
        + "\n")
    header.set(firmware: .guarded)
    header.set(source: "tests")
    #expect(header.members.map(\.key).suffix(2) == ["title", "source"])
    #expect(header.members[2].value == .string("guarded"))
    #expect(header.firmware == .guarded)
  }
}
