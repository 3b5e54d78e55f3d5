import Sketches
import TestSupport
import Testing
import Traces

/// Events whose kinds start with `x-`, other than refusals.
@Suite("Events that are kept") struct ExtraEventTests {
  static let known: [(kind: Event.Kind, text: String)] = [
    (.refused(RefusedMessage([0x58], why: .late)), #""x-refused", "X", "late""#),
    (.unsent([]), #""x-unsent", """#),
    (.unsent([0x58, 0x22, 0x0A, 0xFF]), #""x-unsent", "X\"\n\u00ff""#),
    (.framingError(on: .rx, 0x31), #""x-framing", "rx", "1""#),
    (.framingError(on: .tx, 0), #""x-framing", "tx", "\u0000""#),
    (.lineBreak(lasting: .milliseconds(20), on: .rx), #""x-break", "rx", 0.02"#),
    (.lineBreak(lasting: .nanoseconds(1), on: .tx), #""x-break", "tx", 0.000000001"#),
    (.gap(lasting: .seconds(3), on: .rx), #""x-gap", "rx", 3"#),
    (.gap(lasting: .zero, on: .tx), #""x-gap", "tx", 0"#),
    (.shaft(12.345), #""x-shaft", 12.345"#),
    (.shaft(0), #""x-shaft", 0"#),
    (.shaft(0.00001), #""x-shaft", 0.00001"#),
    (.shaft(80.5, on: BoardPin(arduino: 10)), #""x-shaft", 80.5, "D10""#),
    (.truth(80.5, on: BoardPin(arduino: 10)), #""x-truth", 80.5, "D10""#),
    (.truth(nil, on: BoardPin(arduino: 10)), #""x-truth", null, "D10""#),
    (.truth(103.25), #""x-truth", 103.25"#), (.truth(nil), #""x-truth", null"#),
    (.supply(volts: 4.61, amperes: 0.7), #""x-supply", 4.61, 0.7"#),
    (
      .twitch(Twitch(on: BoardPin.usualServo, stored: 1_472, measured: 2_081)),
      #""x-twitch", "D9", 1472, 2081"#
    ),
    (
      .twitch(Twitch(on: BoardPin.usualServo, stored: 1_472, measured: 2_081, why: "recv ran")),
      #""x-twitch", "D9", 1472, 2081, "recv ran""#
    ),
    (.run(.why("the program was in delay")), #""x-why", "the program was in delay""#),
    (
      .run(.longest(.interruptsOff, .microseconds(1_040), "recv")),
      #""x-longest", "interrupts-off", 0.00104, "recv""#
    ),
    (.run(.longest(.loop, .milliseconds(20), "")), #""x-longest", "loop", 0.02, """#),
    (
      .run(.memory(.wrongReturn, "parse (a.ino:3) returns to 0xE400")),
      #""x-memory", "return", "parse (a.ino:3) returns to 0xE400""#
    ),
    (.missed(3), #""x-missed", 3"#),
    (.missed(2_147_483_647), #""x-missed", 2147483647"#),
    (.fault(FaultStrike(.delay, at: .network)), #""x-fault", "delay", "network""#),
    (
      .fault(FaultStrike(.drop, at: .wire, took: [0x58])), #""x-fault", "drop", "wire", "X", """#
    ),
    (
      .fault(FaultStrike(.noise, at: .usb16u2, gave: [0xFF])),
      #""x-fault", "noise", "16u2", "", "\u00ff""#
    ),
  ]

  private static func line(_ text: String) -> String { "[1.000000, \(text)]\n" }

  @Test(arguments: known.indices)
  func `A kind is written as its text, which is read as the kind`(_ index: Int) throws {
    let (kind, text) = Self.known[index]
    var written: [UInt8] = []
    written.appendLine(Event(.zero + .seconds(1), kind))
    #expect(String(decoding: written, as: UTF8.self) == Self.line(text))
    #expect(try ReadTrace("\(head)\n\(Self.line(text))").events.map(\.kind) == [kind])
  }

  @Test func `Each kind is in the table above`() {
    #expect(Set(Self.known.map(\.kind.extra)) == Set(Event.Extra.allCases))
    for (kind, text) in Self.known {
      #expect(text.hasPrefix("\"\(kind.extra?.rawValue ?? "")\", "))
    }
  }

  static let spellings: [(line: String, kind: Event.Kind)] = [
    (#"[1,"x-gap","rx",30.0e-3]"#, .gap(lasting: .milliseconds(30), on: .rx)),
    (#"[1, "x-break", "rx", 1e1]"#, .lineBreak(lasting: .seconds(10), on: .rx)),
    (#"[1, "\u0078-shaft", 12.50]"#, .shaft(12.5)), (#"[1, "x-shaft", 1E2]"#, .shaft(100)),
    (#"[1, "x-unsent", "\u0058ÿ\u00fe"]"#, .unsent([0x58, 0xFF, 0xFE])),
    (#"[1 , "x-framing" ,"\u0072x", "A" ]"#, .framingError(on: .rx, 0x41)),
  ]

  @Test(arguments: spellings.indices)
  func `Another spelling is read as the same, and becomes canonical`(_ index: Int) throws {
    let (line, kind) = Self.spellings[index]
    let trace = try ReadTrace("\(head)\n\(line)\n")
    #expect(trace.events.map(\.kind) == [kind])
    var text = Array("\(head)\n".utf8)
    text.appendLine(Event(.zero + .seconds(1), kind))
    #expect(trace.canonical == String(decoding: text, as: UTF8.self))
  }

  @Test(arguments: [
    #""x-unsent""#, #""x-unsent", 7"#, #""x-unsent", "\u0100""#, #""x-unsent", "X", 1"#,
    #""x-unsent", null"#, #""x-framing", "rx""#, #""x-framing", "both", "A""#,
    #""x-framing", "rx", "AB""#, #""x-framing", "rx", """#, #""x-framing", "rx", "A", 1"#,
    #""x-framing", "rx", 65"#, #""x-break", "rx""#, #""x-break", "RX", 1"#,
    #""x-break", "rx", -1"#, #""x-break", "rx", "1""#, #""x-break", "rx", 1, 2"#,
    #""x-break", "rx", 0.0000000001"#, #""x-break", "rx", 1000000000"#, #""x-gap""#,
    #""x-gap", 1"#, #""x-gap", "rx", null"#, #""x-gap", "rx", 0e99999999999"#, #""x-shaft""#,
    #""x-shaft", "90""#, #""x-shaft", -0.5"#, #""x-shaft", 1e400"#, #""x-shaft", 90, "P9""#,
    #""x-shaft", 0.1000000000000000055511151231257827"#, #""x-missed""#, #""x-missed", -1"#,
    #""x-missed", 1.5"#, #""x-missed", 3000000000"#, #""x-missed", [1]"#, #""x-missed", 1, 2"#,
    #""x-refused", "X", "for-fun""#, #""x-refused", "X""#, #""x-refused", ["X"], "late""#,
    #""x-unsents", "X""#, #""x-", 1"#, #""x-X-shaft", 1"#,
  ])
  func `A kind with other values, and an unknown one, are kept as they are`(
    _ text: String
  ) throws {
    let trace = try ReadTrace("\(head)\n\(Self.line(text))")
    #expect(trace.events.map(\.kind) == [.other(text)])
    #expect(trace.events[0].kind.extra == nil && !trace.events[0].isInput)
    #expect(trace.canonical == "\(head)\n\(Self.line(text))")
  }

  @Test(arguments: [
    (#"[1, "x-shaft" 1]"#, 15), (#"[1, "x-gap", "rx", 01]"#, 20), (#"[1, "x-unsent", "X"] 2"#, 22),
    (#"[1, "x-missed", ]"#, 17), (#"[1, "x-refused", "X", "late""#, 29),
  ])
  func `Text that is not JSON is an error at its place`(_ line: String, _ column: Int) {
    let error = #expect(throws: TraceError.self) { try ReadTrace("\(head)\n\(line)\n") }
    #expect(error?.column == column, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func `Only a byte to the board without a stop bit reaches the device`() {
    for (kind, _) in Self.known {
      let event = Event(.zero, kind)
      #expect(event.isInput == (kind == .framingError(on: .rx, 0x31)))
    }
  }

  @Test(arguments: [
    (FaultStrike(.drop, at: .wire, took: [0x4C]), "`L` was lost on the wire"),
    (FaultStrike(.cut, at: .network, took: [0x35, 0x2E]), "`5.` was lost in the network"),
    (FaultStrike(.overflow, at: .usb16u2, took: [0x4C]), "`L` was lost in the adapter (16U2)"),
    (FaultStrike(.noise, at: .wire, gave: [0x4C]), "`L` appeared on the wire"),
    (FaultStrike(.flip, at: .wire, took: [0x4C], gave: [0x4D]), "`L` became `M` on the wire"),
    (FaultStrike(.packet, at: .ch340), "the bytes of a write came later in the adapter (CH340)"),
    (FaultStrike(.brownOut, at: .supply), "the board had too little voltage and restarted"),
    (FaultStrike(.dropOut, at: .usb16u2), "the computer's port was without power"),
  ])
  func `A fault that struck is told in words`(_ strike: FaultStrike, _ sentence: String) {
    #expect(strike.sentence == sentence)
  }
}
