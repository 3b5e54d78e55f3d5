import Captures
import Sketches
import TestSupport
import Testing

@Suite("Pins in waveforms")
struct WavePinsTests {
  private static let d7 = BoardPin(name: "D7")!
  private static let d10 = BoardPin(name: "D10")!
  private static let channel = BoardPin(name: "pca9685@0x40:3")!

  private func session(_ pins: WavePins) -> DrawnSession {
    var session = DrawnSession(end: .zero + .milliseconds(10))
    session.pins = pins
    session.script = { waveform in
      waveform.take(.pin(Self.d7, isHigh: true), at: .zero)
      waveform.take(
        .servo(degrees: 45, microseconds: 1_008, on: Self.d10), at: .zero + .milliseconds(1))
      waveform.take(.pulse(microseconds: 1_008, on: Self.d10), at: .zero + .milliseconds(2))
      waveform.take(
        .servo(degrees: 9, microseconds: 600, on: Self.channel), at: .zero + .milliseconds(4))
    }
    return session
  }

  @Test(
    arguments: [
      ("1 MHz", "1 us"), ("2 MHz", "100 ns"), ("16 MHz", "100 ps"), ("8 MHz", "100 ps"),
      ("24 MHz", "10 ns"), ("250 kHz", "1 us"),
    ])
  func `A VCD file has the unit of its samples`(_ rate: String, _ unit: String) throws {
    let rate = VCDWriter.rate(for: try #require(SampleRate(rate)))
    var writer = VCDWriter(rate: rate, notes: [], comment: "")
    writer.finish(at: 1)
    #expect(String(decoding: writer.bytes, as: UTF8.self).contains("$timescale \(unit) $end"))
  }

  @Test func `A VCD file at the chip's clock has each edge at its exact time`() throws {
    // Two pulses of 250 ns, four cycles of 16 MHz each, stamped in whole nanoseconds.
    let rate = VCDWriter.rate(for: try #require(SampleRate("16 MHz")))
    let pin = try #require(BoardPin(name: "D7"))
    let pins = WavePins(levels: [pin])
    var waveform = try Waveform(rate: rate, baud: 9600, pins: pins)
    var writer = VCDWriter(rate: rate, notes: [], comment: "", pins: pins)
    for (nanoseconds, isHigh) in [(63, true), (313, false), (1_000, true), (1_250, false)] {
      waveform.take(.pin(pin, isHigh: isHigh), at: Instant(nanoseconds: Int64(nanoseconds)))
    }
    let end = waveform.close(at: Instant(nanoseconds: 2_000))
    while try waveform.step(to: end, into: &writer) {}
    try waveform.finish(&writer)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(text.contains("$timescale 100 ps $end"))
    #expect(text.contains("#625\n1.A\n#3125\n0.A\n#10000\n1.A\n#12500\n0.A\n#20000\n"))
  }

  @Test func `A VCD file has a wire for each pin, and the angle of each servo`() throws {
    let vcd = try session(WavePins(levels: [Self.d7], servos: [Self.d10, Self.channel])).vcd()
    for line in [
      "$var wire 1 .A D7 $end", "$var wire 1 .B D10 $end", "$var real 64 /B angle_D10 $end",
      "$var real 64 /C angle_pca9685_0x40_3 $end",
    ] { #expect(vcd.contains(line + "\n")) }
    #expect(!vcd.contains("angle_D7"))
    let changes = vcd.split(separator: "$dumpvars").last ?? ""
    let lines = changes.split(separator: "\n").map(String.init)
    // 1 us for each sample: the level at time 0 is one sample late.
    #expect(
      Array(lines.suffix(11)) == [
        "#1", "1.A", "#1000", "r45 /B", "#2000", "1.B", "#3008", "0.B", "#4000", "r9 /C", "#10000",
      ])
  }

  @Test func `Pins that a waveform does not show are left out`() throws {
    let vcd = try session(WavePins()).vcd()
    #expect(try vcd == DrawnSession(end: .zero + .milliseconds(10)).vcd())
  }

  @Test func `More pins than a file has letters for are reported`() throws {
    let all = Set((0..<32).compactMap { BoardPin(driver: 0x40 + $0 / 16, channel: $0 % 16) })
    let session = session(WavePins(servos: all))
    #expect(try session.remarks == ["6 pins not drawn: there are too many"])
  }
}
