import Devices
import Judging
import Sketches
import TestSupport
import Testing
import Traces

/// What can be observed of a session from its trace alone, if its sketch has no model.
@Suite("Sessions of any sketch") struct ObservedExplanationTests {
  private static func session(_ events: [String]) throws -> ObservedSession {
    let header =
      #"{"format": "sentry-trace", "version": 1, "firmware": "mine", "baud": 9600, "duration": 2}"#
    let text = ([header] + events).joined(separator: "\n") + "\n"
    var reader = try TraceReader(text: Array(text.utf8), path: "t")
    let device = SilentSource().makeDevice(
      for: reader.header, firmware: .guarded, showsPulses: false)
    return try ObservedSession(&reader, on: device)
  }

  private static let events = [
    #"[0.100000, "servo", 90, 1472]"#,
    #"[0.500000, "rx", "P1\n"]"#,
    #"[0.503200, "servo", 45, 1008, "D10"]"#,
    #"[0.503300, "pin", "D7", 1]"#,
    #"[0.503400, "tx", "o"]"#,
    #"[0.504500, "tx", "k"]"#,
    #"[1.000000, "rx", "QQ"]"#,
    #"[1.002100, "lost", "Q", "ring-full"]"#,
  ]

  @Test func `Each byte has a line with its arrival and what followed it`() throws {
    let explanation = ObservedExplanation(try Self.session(Self.events), sketch: "mine")
    #expect(
      explanation.byteLines == [
        "  arrived      taken        byte  fate         what followed",
        "  before the first byte                         servo 90 (1472 us)",
        "  0.501042     -            P     arrived",
        "  0.502084     -            1     arrived",
        "  0.503125     -            LF    arrived      after 75 us: "
          + "servo 45 (1008 us) on D10, D7 high, sent `ok`",
        "  1.001042     -            Q     arrived",
        "  1.002084     never        Q     ring-full",
        "5 bytes: 1 ring-full, 4 arrived",
        "No model behaves like the sketch \"mine\", so what it took is unknown: --device avr:FILE "
          + "runs its program and shows that.",
      ])
  }

  @Test func `An answer is one part, whatever the sketch does while it is sent`() throws {
    let session = try Self.session([
      #"[0.500000, "rx", "P"]"#, #"[0.503000, "tx", "o"]"#, #"[0.503500, "servo", 45, 1008]"#,
      #"[0.504042, "tx", "k"]"#, #"[0.505084, "tx", "\n"]"#, #"[0.505100, "pin", "D7", 1]"#,
      #"[0.506126, "tx", "2"]"#, #"[0.600000, "pin", "D7", 0]"#, #"[0.700000, "tx", "3"]"#,
    ])
    let line = ObservedExplanation(session, sketch: "mine").byteLines[1]
    #expect(
      line.hasSuffix(
        "sent `ok\\n`, servo 45 (1008 us), D7 high, sent `2`, D7 low, sent `3`"))
  }

  @Test func `With a profile, the bytes are divided into its commands`() throws {
    let profile = try #require(
      try TraceReader(
        text: Array(
          (#"{"format": "sentry-trace", "version": 1, "firmware": "mine", "profile": "#
            + #"{"name": "mine", "commands": ["P{angle:0..180}\n", "STOP"]}}"# + "\n").utf8),
        path: "t"
      ).header.ownProfile(in: "t"))
    let session = try Self.session([
      #"[0.100000, "rx", "P9"]"#, #"[0.101500, "servo", 1, 1000]"#, #"[0.200000, "rx", "0\n"]"#,
      #"[0.203000, "servo", 90, 1472]"#, #"[0.300000, "rx", "xySTOPP1STOP"]"#,
    ])
    #expect(
      ObservedEffect.find(in: session, profile: profile).map {
        String(decoding: $0.bytes, as: UTF8.self)
      }
        == ["P90\n", "xy", "STOP", "P1", "STOP"])
    #expect(
      ObservedEffect.find(in: session).map { String(decoding: $0.bytes, as: UTF8.self) }
        == ["P", "90\n", "xySTOPP1STOP"])
  }

  @Test func `What did not reach the sketch is said at the end`() throws {
    let explanation = ObservedExplanation(try Self.session(Self.events), sketch: "mine")
    #expect(
      explanation.lossLines == [
        "", "What did not reach the sketch:",
        "  1.002084 s  `Q` was lost: 63 bytes were waiting in the ring of Arduino's core",
      ])
    #expect(ObservedExplanation(try Self.session([]), sketch: nil).lossLines.isEmpty)
  }

  @Test func `A byte that nothing received was lost for one of two reasons`() throws {
    let session = try Self.session([
      #"[0.000050, "rx", "L"]"#, #"[0.001092, "lost", "L", "booting"]"#,
    ])
    #expect(
      ObservedExplanation(session, sketch: nil).lossLines.last
        == "  0.001092 s  `L` was lost: the bootloader owned the line, or the sketch had not opened "
        + "its port yet")
  }

  @Test func `Each byte has an object of JSON with its outputs as in a trace`() throws {
    let lines = ObservedExplanation(try Self.session(Self.events), sketch: "mine").jsonLines
    #expect(lines.count == 5)
    #expect(
      lines[2]
        == #"{"byte": 10, "arrived": 0.503125, "taken": null, "fate": "arrived", "outputs": "#
        + #"[[0.503200, "servo", 45, 1008, "D10"], [0.503300, "pin", "D7", 1], "#
        + #"[0.503400, "tx", "o"], [0.504500, "tx", "k"]]}"#)
  }

  @Test func `An answer belongs to the byte after which it began`() throws {
    let session = try Self.session([
      #"[0.100000, "rx", "AB"]"#, #"[0.101100, "tx", "x"]"#, #"[0.102200, "tx", "y"]"#,
      #"[0.110000, "tx", "z"]"#,
    ])
    let sent = session.bytes.map { $0.outputs.map(\.output) }
    #expect(
      sent == [
        [.transmit(UInt8(ascii: "x")), .transmit(UInt8(ascii: "y"))],
        [.transmit(UInt8(ascii: "z"))],
      ])
  }

  @Test func `Bytes are divided where outputs followed`() throws {
    let effects = ObservedEffect.find(in: try Self.session(Self.events))
    #expect(effects.map(\.bytes) == ["P1\n", "QQ"].map { Array($0.utf8) })
    #expect(
      effects.map(\.time.roundedUpToMicrosecond)
        == [501_042, 1_001_042].map { .zero + .microseconds($0) })
    #expect(effects[0].delay == .microseconds(75) && effects[0].trouble == nil)
    #expect(effects[1].text.isEmpty && effects[1].trouble == "`Q` did not reach the sketch")
  }
}
