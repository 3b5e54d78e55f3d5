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

  @Test func `What did not reach the sketch is said at the end`() throws {
    let explanation = ObservedExplanation(try Self.session(Self.events), sketch: "mine")
    #expect(
      explanation.lossLines == [
        "", "What did not reach the sketch:",
        "  1.002084 s  `Q` was lost: the program read it and discarded it, as with a full buffer",
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
