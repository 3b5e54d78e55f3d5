import Devices
import Judging
import Sketches
import Testing
import Traces

struct PowerAccountTests {
  private static func lines(_ events: String...) throws -> [String] {
    let head = #"{"format": "sentry-trace", "version": 1, "firmware": "guarded", "baud": 9600}"#
    let text = Array(([head] + events).joined(separator: "\n").utf8)
    var reader = try TraceReader(text: text, path: "t")
    let device = Model(.guarded, for: reader.header, showsPulses: false)
    let ledger = try Ledger(&reader, device)
    var again = try TraceReader(text: text, path: "t")
    return try PowerAccount(&again).lines(ledger.entries)
  }

  @Test func `A brown-out has what caused it, and the bytes that the board missed`() throws {
    let lines = try Self.lines(
      #"[2.000000, "mark", "brown-out: 2 mg996r starting, 2.0 A, 2.4 V: the board restarted"]"#,
      #"[2.000001, "x-fault", "brown-out", "supply"]"#, #"[2.000002, "reset", 0.065]"#,
      #"[2.010000, "rx", "X90."]"#, #"[3.000000, "rx", "X110."]"#, #"[4.000000, "mark", "end"]"#)
    #expect(
      lines == [
        "",
        "2.000001 s: brown-out: 2 mg996r starting, 2.0 A, 2.4 V: the board restarted, 4 bytes lost",
      ])
  }

  @Test func `Bytes for a port that was not there are counted with it`() throws {
    let lines = try Self.lines(
      #"[2.000000, "mark", "brown-out of the adapter: 2.9 V: an Uno's port is lost"]"#,
      #"[2.000001, "x-fault", "drop-out", "16u2"]"#,
      #"[2.500000, "x-fault", "drop-out", "16u2", "X90.", ""]"#)
    #expect(lines.last?.hasSuffix("an Uno's port is lost, 4 bytes lost") == true, "\(lines)")
  }

  @Test func `Bytes for the bootloader after the port is back are counted with it`() throws {
    let lines = try Self.lines(
      #"[2.000000, "mark", "brown-out of the adapter: 2.9 V: an Uno's port is lost"]"#,
      #"[2.000001, "x-fault", "drop-out", "16u2"]"#,
      #"[3.000000, "mark", "the port is back: opening it restarted the board"]"#,
      #"[3.000001, "reset", 1]"#, #"[3.500000, "rx", "X90."]"#, #"[6.000000, "rx", "X91."]"#,
      #"[7.000000, "mark", "end"]"#)
    #expect(lines.last?.hasSuffix("an Uno's port is lost, 4 bytes lost") == true, "\(lines)")
  }

  @Test func `A session without a supply has nothing to say about one`() throws {
    #expect(try Self.lines(#"[2.000000, "mark", "brown-out"]"#, #"[3, "reset", 1]"#).isEmpty)
  }
}
