import Sketches
import TestSupport
import Testing
import Traces

@testable import Captures

@Suite struct LogicLineTests {
  private static let start: Int64 = 50_000_000
  private static let bit: Int64 = 104_167

  private func wave(_ text: String, baud: Double = 9_600) -> LogicWave {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    wave.send(text, at: Self.start, baud: baud)
    return wave
  }

  @Test(arguments: [0.96, 0.975, 0.995, 1.0, 1.005, 1.025, 1.03])
  func `A sender up to 4 % off is understood, and its speed is named`(factor: Double) throws {
    let capture = try Capture([wave("X90.X100X110.L", baud: 9_600 * factor).vcd()])
    #expect(try capture.all.received == Array("X90.X100X110.L".utf8))
    let isNamed = capture.summary.notes.contains { $0.contains("% ") }
    #expect(isNamed == (abs(factor - 1) > 0.02))
    let measured = try #require(capture.summary.channels[0].baud)
    #expect(abs(Double(measured) / (9_600 * factor) - 1) < 0.005)
  }

  @Test(arguments: [2_400, 4_800, 19_200, 57_600, 115_200])
  func `Another speed is named and not taken`(baud: Int) throws {
    let wave = wave("X90.X100X110.L", baud: Double(baud))
    let capture = try Capture([wave.vcd()])
    #expect(try capture.all.received != Array("X90.X100X110.L".utf8))
    #expect(capture.summary.notes.contains { $0.contains("--sender-baud \(baud)") })
    var options = CaptureOptions()
    options.senderBaud = baud
    let events = try Capture([wave.vcd()], options).all
    #expect(events.received == Array("X90.X100X110.L".utf8))
    #expect(events.first?.kind == .baud(baud))
  }

  @Test(arguments: stride(from: Int64(5_000), to: 1_040_000, by: 7_000).map { $0 })
  func `A glitch of 3 us anywhere in a byte changes no bit`(offset: Int64) throws {
    var wave = wave("X90.")
    wave.glitch(at: Self.start + 2 * 10 * Self.bit + offset, width: 3_000)
    let capture = try Capture([wave.vcd()])
    #expect(try capture.all.received == Array("X90.".utf8))
  }

  @Test func `A glitch on the idle line is no start bit`() throws {
    var wave = wave("X90.")
    wave.glitch(at: 30_000_000, width: 20_000)
    let capture = try Capture([wave.vcd()])
    #expect(try capture.all.received == Array("X90.".utf8))
    #expect(capture.summary.glitches == 1)
  }

  @Test(arguments: [4_800, 9_600, 57_600, 115_200], [false, true])
  func `A byte counts once the middle of its stop bit is recorded`(
    baud: Int, isInverted: Bool
  ) throws {
    var options = CaptureOptions()
    options.baud = baud
    options.inversion = isInverted ? .both : nil
    let bit = 1e9 / Double(baud)
    for (bits, count) in [(9.45, 1), (9.51, 2), (9.6, 2), (9.9, 2)] {
      var wave = LogicWave(["RX"], idle: [!isInverted], ms: 20)
      wave.send(Array("KR".utf8), at: 2_000, baud: Double(baud), isInverted: isInverted)
      wave.length = 2_000 + Int64((10 + bits) * bit)
      let capture = try Capture([wave.vcd()], options)
      #expect(try capture.all.received == Array("KR".utf8.prefix(count)), "\(bits)")
      let isNamed = capture.summary.notes.contains { $0.contains("ends within a byte on rx") }
      #expect(isNamed == (count == 1), "\(bits)")
      #expect(capture.summary.glitches == 0)
    }
  }

  @Test func `A recording that ends within its only byte says so`() {
    var wave = LogicWave(["RX"], idle: [true], ms: 20)
    wave.send("K", at: 2_000)
    wave.channels[0].levels.removeAll { $0.time > 700_000 }
    wave.length = 700_000
    let error = #expect(throws: CaptureError.self) { try Capture([wave.vcd()]) }
    #expect(error?.message.contains("the recording ends within a byte") == true)
  }

  /// Bits of a byte in percent, with the sample spacing of each speed: a shorter glitch cannot cover
  /// two of the three samples.
  @Test(arguments: [(9_600, 12.0), (115_200, 12), (57_600, 6)])
  func `A glitch that covers one sample changes no bit`(baud: Int, percent: Double) throws {
    var options = CaptureOptions()
    options.baud = baud
    let bit = 1e9 / Double(baud)
    for offset in stride(from: 10.0, to: 990, by: 10) {
      var wave = wave("R9", baud: Double(baud))
      wave.glitch(
        at: Self.start + Int64(offset / 100 * bit), width: Int64(percent / 100 * bit))
      let received = try Capture([wave.vcd()], options).all.received
      #expect(received == Array("R9".utf8), "at \(offset) % of a bit")
    }
  }

  @Test func `A pulse before the first sample of a start bit is not seen`() throws {
    var wave = wave("X90.")
    // It would shift the start bit by three quarters of a bit.
    wave.glitch(at: Self.start - 80_000, width: 5_000)
    #expect(try Capture([wave.vcd()]).all.received == Array("X90.".utf8))
  }

  @Test func `What is high for a third of a bit is low at its samples`() throws {
    // From a bit's beginning to 0.3 of it, as in a recording whose glitch is written inverted.
    let dump = """
      $timescale 1 ns $end $var wire 1 ! RX $end $enddefinitions $end
      #0 1! #2000 0! #19361 1! #28042 0! #45403 1! #46271 1! #48007 0! #54083 0! #62764 1!
      #71444 0! #80125 1! #85333
      """
    var options = CaptureOptions()
    options.baud = 115_200
    let capture = try Capture([CaptureFile(name: "a", bytes: Array(dump.utf8))], options)
    #expect(try capture.all.received == Array("B".utf8))
    #expect(!capture.summary.notes.contains { $0.contains("runs at") })
  }

  @Test(arguments: ["x", "z", ""], [9_600, 57_600, 115_200])
  func `What is unknown before the first byte is an idle line`(level: String, baud: Int) throws {
    for isInverted in [false, true] {
      var wave = LogicWave(["RX"], idle: [!isInverted], ms: 400)
      wave.send(
        Array("X20.".utf8), at: 300_000_000, baud: Double(baud), isInverted: isInverted)
      let bytes = try wave.vcd().bytes(at: 0, count: 1 << 20)
      let idle = isInverted ? "0!" : "1!"
      let lines = String(decoding: bytes, as: UTF8.self).replacing(
        "#0\n\(idle)\n", with: level.isEmpty ? "#0\n" : "#0\n$dumpvars\n\(level)!\n$end\n")
      var options = CaptureOptions()
      options.baud = baud
      options.inversion = isInverted ? .rx : nil
      let capture = try Capture([CaptureFile(name: "a", bytes: Array(lines.utf8))], options)
      let events = try capture.all
      #expect(events.received == Array("X20.".utf8))
      #expect(events.receiveTimes == [300_000_000])
      #expect(events.others.isEmpty)
      #expect(capture.summary.holes == 0)
    }
  }

  @Test func `A channel becomes unknown whatever the level before it`() throws {
    for (level, bit) in [(1, "high"), (0, "low")] {
      var last = LogicLevels(time: 0, high: UInt64(level))
      let unknown = LogicLevels(time: 1, high: 0, unknown: 1)
      #expect(unknown.differences(from: last) == 1, "\(bit)")
      last.unknown = 1
      #expect(unknown.differences(from: last) == UInt64(level), "\(bit)")
    }
  }

  @Test func `A line that is driven only for its bytes has no holes`() throws {
    var lines = ["$timescale 1 ns $end $var wire 1 ! RX $end $enddefinitions $end", "#0 z!"]
    var wave = LogicWave(["RX"], idle: [true], ms: 20)
    for (index, byte) in "X9.".utf8.enumerated() {
      let start = Int64(index + 1) * 2_000_000
      wave.send([byte], at: start)
      for level in wave.channels[0].levels where level.time >= start {
        lines.append("#\(level.time) \(level.isHigh ? 1 : 0)!")
      }
      lines.append("#\(start + 10 * Self.bit) z!")
    }
    lines.append("#20000000")
    let file = CaptureFile(name: "a", bytes: Array(lines.joined(separator: "\n").utf8))
    let capture = try Capture([file])
    #expect(try capture.all.received == Array("X9.".utf8))
    #expect(try capture.all.others.isEmpty)
    #expect(capture.summary.framingErrors == 0)
  }

  @Test func `A byte in which the level becomes unknown is left out, and the next is read`()
    throws
  {
    let dump = """
      $timescale 1 ns $end $var wire 1 ! RX $end $enddefinitions $end
      #0 1! #2000000 0! #2104167 1! #2300000 x! #4000000 0! #4312500 1! #4520833 0! #4729167 1!
      #4833333 0! #4937500 1! #9000000
      """
    let capture = try Capture([CaptureFile(name: "a", bytes: Array(dump.utf8))])
    #expect(try capture.all.received == Array("L".utf8))
    #expect(try capture.all.receiveTimes == [4_000_000])
    #expect(capture.summary.holes == 1)
    #expect(capture.summary.notes.contains { $0.contains("1 byte on rx left out") })
  }

  @Test(arguments: ["\n#9", "\n#96", "\n#960000", "\n0"])
  func `A dump that is cut off ends within its byte`(rest: String) throws {
    let dump = """
      $timescale 1 ns $end $var wire 1 ! RX $end $enddefinitions $end
      #0 1! #5000000 0! #5416667 1! #5625000 0! #5729167 1! #5833333 0! #5937500 1!
      #9175000 0! #9591667 1!
      """
    let capture = try Capture([CaptureFile(name: "a", bytes: Array((dump + rest).utf8))])
    #expect(try capture.all.received == Array("X".utf8))
    #expect(capture.summary.notes.contains { $0.contains("the recording ends within a byte") })
  }

  @Test func `A recording that does not state its end keeps a line at rest, and says so`() throws {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    wave.send([0x31, 0xF8], at: Self.start)
    let whole = try Capture([wave.saleae(dates: false)])
    #expect(try whole.all.received == [0x31, 0xF8])
    #expect(whole.summary.notes.contains { $0.contains("does not state its end") })
    // Without its last edge, the line is low at the end: it has changed after that.
    wave.channels[0].levels.removeLast()
    let cut = try Capture([wave.saleae(dates: false)])
    #expect(try cut.all.received == [0x31])
    #expect(cut.summary.notes.contains { $0.contains("ends within a byte") })
  }

  @Test(arguments: [9_600, 57_600])
  func `A recording that a start bit triggered begins with its byte`(baud: Int) throws {
    var wave = LogicWave(["RX"], idle: [true], ms: 20)
    wave.send("X90.", at: 0, baud: Double(baud))
    wave.channels[0].levels.removeFirst()
    var options = CaptureOptions()
    options.baud = baud
    #expect(try Capture([wave.vcd()], options).all.received == Array("X90.".utf8))
  }

  @Test func `A low stop bit is a framing error, and the byte counts`() throws {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    wave.send("ab", at: Self.start)
    wave.send([0x31], at: Self.start + 30 * Self.bit) { byte in
      (0..<8).map { byte >> UInt8($0) & 1 == 1 } + [false, true]
    }
    wave.send("c", at: Self.start + 60 * Self.bit)
    let capture = try Capture([wave.vcd()])
    let events = try capture.all
    #expect(events.received == Array("ab1c".utf8))
    #expect(events.others == [#""x-framing", "rx", "1""#])
    #expect(capture.summary.framingErrors == 1)
  }

  @Test func `A break is a byte 0 and an event when it ends`() throws {
    var wave = wave("X9")
    wave.glitch(at: 100_000_000, width: 20_000_000)
    let events = try Capture([wave.vcd()]).all
    #expect(events.received == Array("X9\0".utf8))
    #expect(events.others.contains(#""x-break", "rx", 0.02"#))
    #expect(events.last?.time == .zero + .milliseconds(120))
  }

  @Test func `A line that idles low is read inverted`() throws {
    var wave = LogicWave(["RX"], idle: [false], ms: 200)
    wave.send(Array("X90.".utf8), at: Self.start, isInverted: true)
    let capture = try Capture([wave.vcd()])
    #expect(try capture.all.received == Array("X90.".utf8))
    #expect(capture.summary.channels[0].isInverted)
    #expect(capture.summary.notes.contains { $0.contains("inverted") })
  }

  @Test(arguments: 1...9)
  func `A recording that begins within a byte finds the next one`(bits: Int64) throws {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    wave.send("XYZX90.X100.L", at: Self.start)
    let cut = Self.start + bits * Self.bit + 10_000
    let level = wave.channels[0].level(at: cut)
    wave.channels[0].levels =
      [(0, level)]
      + wave.channels[0].levels.filter { $0.time > cut }.map { ($0.time - cut, $0.isHigh) }
    let received = try Capture([wave.vcd()]).all.received
    #expect(received.suffix(12).elementsEqual("YZX90.X100.L".utf8))
    #expect(received.count <= 13)
  }

  @Test(arguments: ["7E1", "7O1", "8E1", "8O1", "5N1", "6N1", "7N1"], [false, true])
  func `Another format than 8N1 is named and refused`(format: String, pauses: Bool) {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    let count = Int(format.prefix(1))!
    let text = "X90.X100.X110.LX45.Hello there"
    let frame = { (byte: UInt8) -> [Bool] in
      let data = (0..<count).map { byte >> UInt8($0) & 1 == 1 }
      let isOdd = data.count { $0 } % 2 == 1
      return switch format.dropFirst().first {
      case "E": data + [isOdd, true]
      case "O": data + [!isOdd, true]
      default: data + [true]
      }
    }
    if pauses {
      for (index, byte) in text.utf8.enumerated() {
        wave.send([byte], at: Self.start + Int64(index) * 15 * Self.bit, bits: frame)
      }
    } else {
      wave.send(Array(text.utf8), at: Self.start, bits: frame)
    }
    let error = #expect(throws: CaptureError.self) { try Capture([wave.vcd()]) }
    #expect(error?.message.contains("found \(format)") == true, "\(error?.message ?? "no error")")
  }

  @Test func `Bytes without a gap are one event, and a gap begins another`() throws {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    wave.send("X90.", at: Self.start)
    wave.send("L", at: Self.start + 41 * Self.bit)
    let events = try Capture([wave.vcd()]).all
    #expect(events.map { $0.kind } == [.receive(Array("X90.".utf8)), .receive(Array("L".utf8))])
  }

  @Test func `Only the chosen part is converted, with the recording's own times`() throws {
    var options = CaptureOptions()
    options.since = .milliseconds(51)
    options.until = .milliseconds(53)
    let capture = try Capture([wave("X90.").vcd()], options)
    let events = try capture.all
    #expect(events.received == Array("90".utf8))
    #expect(events.receiveTimes == [Self.start + 10 * Self.bit - 4])
    #expect(capture.header.duration == .milliseconds(53))
  }

  @Test(arguments: [(200, 5_054), (5_050, 5_054), (6_000, 6_000)])
  func `A trace goes on for five seconds after the last byte`(
    _ recorded: Int64, _ milliseconds: Int64
  ) throws {
    var wave = LogicWave(["RX"], idle: [true], ms: recorded)
    wave.send("X90.", at: Self.start)
    let header = try Capture([wave.vcd()]).header
    let duration = try #require(header.duration)
    #expect((duration - .milliseconds(milliseconds)).magnitude < .milliseconds(1), "\(duration)")
    #expect(header.shownEnd(lastEvent: .zero) == .zero + .milliseconds(recorded))
    #expect(header.members.contains { $0.key == "to" } == (recorded < milliseconds))
  }
}
