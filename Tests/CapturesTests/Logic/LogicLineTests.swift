import TestSupport
import Testing
import Traces
import Turret

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

  @Test(arguments: ["7E1", "7O1", "8E1", "8O1", "5N1", "7N1"])
  func `Another format than 8N1 is named and refused`(format: String) {
    var wave = LogicWave(["RX"], idle: [true], ms: 200)
    let count = Int(format.prefix(1))!
    let text = "X90.X100.X110.LX45.Hello there"
    wave.send(Array(text.utf8), at: Self.start) { byte in
      let data = (0..<count).map { byte >> UInt8($0) & 1 == 1 }
      let isOdd = data.count { $0 } % 2 == 1
      return switch format.dropFirst().first {
      case "E": data + [isOdd, true]
      case "O": data + [!isOdd, true]
      default: data + [true]
      }
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
}
