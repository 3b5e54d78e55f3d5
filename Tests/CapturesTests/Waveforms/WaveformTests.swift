import Captures
import Sketches
import TestSupport
import Testing

@Suite struct WaveformTests {
  private static func instant(_ microseconds: Int64) -> Instant {
    Instant(nanoseconds: microseconds * 1_000)
  }

  /// Random bytes in both directions, and random pulses.
  private static func randomSession(
    _ seed: UInt64, rate: SampleRate, bauds: [Int], length: Int
  ) -> (
    session: DrawnSession, rx: [(Instant, UInt8, Int)], tx: [(Instant, UInt8)],
    pulses: [(Instant, Double)]
  ) {
    var random = SeededGenerator(seed: seed)
    var rx: [(Instant, UInt8, Int)] = []
    var tx: [(Instant, UInt8)] = []
    var pulses: [(Instant, Double)] = []
    var events: [(Instant, (inout Waveform) throws -> Void)] = []
    var now = Instant.zero
    var free = Instant.zero
    let baud = bauds[0]
    for _ in 0..<length {
      now += .microseconds(Int64.random(in: 0...9_000, using: &random))
      let bytes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let speed = bauds.randomElement(using: &random) ?? baud
      let at = now
      events.append(
        (
          at,
          {
            try $0.setSenderBaud(speed)
            $0.send(bytes, at: at)
          }
        ))
      var clock = ByteClock(baud: speed, startingAt: max(now, free))
      for byte in bytes {
        rx.append((clock.instant, byte, speed))
        clock.advance()
      }
      free = clock.instant
      if Bool.random(using: &random) {
        let byte = UInt8.random(in: 0...255, using: &random)
        let start = max(at, (tx.last?.0 ?? .zero) + ByteClock.byteTime(baud: baud))
        tx.append((start, byte))
        events.append((start, { $0.take(.transmit(byte), at: start) }))
      }
    }
    var edge = Instant.zero + .milliseconds(1)
    while edge < now {
      let width = Double(Int.random(in: 100...2_400, using: &random))
      let at = edge
      pulses.append((at, width))
      events.append((at, { $0.take(.pulse(microseconds: width), at: at) }))
      edge += .microseconds(Int64.random(in: 3_000...20_000, using: &random))
    }
    events.sort { $0.0 < $1.0 }
    var session = DrawnSession(rate: rate, baud: baud, end: now)
    session.script = { waveform in
      for (_, act) in events { try act(&waveform) }
    }
    return (session, rx, tx, pulses)
  }

  @Test(
    arguments: WaveformFormat.allCases,
    [
      (SampleRate("1MHz"), [9_600]), (SampleRate("80kHz"), [9_600, 4_800]),
      (SampleRate("24MHz"), [115_200, 9_600, 300]),
    ])
  func `every byte and pulse can be read from the file`(
    format: WaveformFormat, setting: (SampleRate?, [Int])
  ) throws {
    let rate = try #require(setting.0)
    // A file with a row or byte for each sample is long.
    let isLong = format == .csv || format == .sr
    if isLong && rate.hertz > 1_000_000 { return }
    for seed: UInt64 in 1...3 {
      var (session, rx, tx, pulses) = Self.randomSession(
        seed, rate: rate, bauds: setting.1, length: isLong ? 12 : 60)
      if format == .vcd { session.rate = VCDWriter.rate(for: rate) }
      let file = try session.read(format, step: seed == 2 ? .microseconds(777) : nil)
      let sample = 1e9 / Double(session.rate.hertz)
      let place: Comment = "seed \(seed)"

      let received = file.bytes(on: "RX", bauds: rx.map { $0.2 })
      #expect(received.map { $0.byte } == rx.map { $0.1 }, place)
      for (found, (instant, _, _)) in zip(received, rx) {
        // A byte at time 0 begins with the second sample. The clock here loses a fraction of a
        // nanosecond at each event.
        let off = (instant == .zero ? sample : sample / 2) + 60
        #expect(abs(found.nanoseconds - Double(instant.nanoseconds)) <= off + 1, place)
      }
      let transmitted = file.bytes(on: "TX", bauds: [setting.1[0]])
      #expect(transmitted.map { $0.byte } == tx.map { $0.1 }, place)
      let found = file.pulses(on: "SERVO")
      #expect(found.count == pulses.count, place)
      for (found, (instant, width)) in zip(found, pulses) {
        #expect(abs(found.nanoseconds - Double(instant.nanoseconds)) <= sample / 2 + 1, place)
        #expect(abs(found.width - width * 1_000) <= sample + 1, place)
      }
    }
  }

  @Test func `all lines are at rest in the first sample, so that a byte at time 0 can be seen`()
    throws
  {
    let session = DrawnSession(
      script: { $0.send([0x55], at: .zero) }, end: Self.instant(5_000))
    let file = try session.read(.saleae)
    #expect(file.wires["RX"]?.prefix(2).map { $0.isHigh } == [true, false])
    #expect(file.wires["RX"]?.dropFirst().first?.nanoseconds == 1_000)
    #expect(file.bytes(on: "RX", bauds: [9_600]).map { $0.byte } == [0x55])
  }

  @Test func `bytes that wait for the line at the end are sent`() throws {
    let session = DrawnSession(
      script: { $0.send(Array("X45.X46.".utf8), at: Self.instant(100)) }, end: Self.instant(200))
    let file = try session.read(.vcd)
    #expect(file.bytes(on: "RX", bauds: [9_600]).map { $0.byte } == Array("X45.X46.".utf8))
    #expect(file.end > 8_400_000)
  }

  @Test func `a byte is named while it is on the line, and two equal ones apart`() throws {
    let session = DrawnSession(
      script: { $0.send(Array("11".utf8), at: Self.instant(100)) }, end: Self.instant(5_000))
    let names = try #require(session.read(.vcd).notes["rx_byte"])
    #expect(names.map { $0.text } == ["", "1", "", "1", ""])
    #expect(names.map { Int($0.nanoseconds / 1_000) } == [0, 100, 1_038, 1_142, 2_079])
  }

  @Test(
    arguments: [
      ([(0, 1_500.0), (20_000, 1_500)], [1_499.0, 1_500], [String]()),
      // The second begins 5 ms before the end of the first.
      ([(100, 25_000), (20_100, 1_000)], [19_999, 1_000], ["1 pulse drawn shorter"]),
      ([(100, 20_000), (20_100, 1_000)], [19_999, 1_000], ["1 pulse drawn shorter"]),
      ([(100, 0), (20_100, 1_000)], [1_000], []),
      ([(100, 0.2), (20_100, 62.5)], [63], []),
    ] as [([(Int64, Double)], [Double], [String])])
  func `pulses`(pulses: [(Int64, Double)], widths: [Double], remarks: [String]) throws {
    let session = DrawnSession(
      script: { waveform in
        for (at, width) in pulses {
          waveform.take(.pulse(microseconds: width), at: Self.instant(at))
        }
      }, end: Self.instant(50_000))
    let found = try session.read(.saleae).pulses(on: "SERVO").map { $0.width / 1_000 }
    #expect(found.map { $0.rounded() } == widths)
    let texts = try session.remarks
    #expect(texts.map { $0.prefix { $0 != ":" } }.map(String.init) == remarks)
  }

  @Test func `a tone is a square wave of its frequency until it stops`() throws {
    let session = DrawnSession(
      script: {
        var ignored = SaleaeCSVWriter(rate: .standard)
        $0.take(.tone(hertz: 900), at: Self.instant(1_000))
        while try $0.step(to: Self.instant(101_000), into: &ignored) {}
        $0.take(.tone(hertz: 0), at: Self.instant(101_000))
      }, end: Self.instant(150_000))
    // What was drawn before the end of the script was ignored.
    let whole = DrawnSession(
      script: { $0.take(.tone(hertz: 900), at: Self.instant(1_000)) }, end: Self.instant(101_000))
    let pulses = try whole.read(.vcd).pulses(on: "TONE")
    #expect(pulses.count == 90)
    for (index, pulse) in pulses.enumerated() {
      #expect(abs(pulse.nanoseconds - (1e6 + Double(index) * 1e9 / 900)) <= 501)
      #expect(abs(pulse.width - 1e9 / 1_800) <= 1_001)
    }
    let after = try session.read(.saleae)
    #expect(after.wires["TONE"]?.allSatisfy { $0.nanoseconds <= 101_000_000 } == true)
    #expect(after.wires["TONE"]?.last?.isHigh == false)
  }

  @Test func `a tone that the samples cannot show is reported`() throws {
    let session = DrawnSession(
      rate: try #require(SampleRate("100kHz")),
      script: { $0.take(.tone(hertz: 65_535), at: .zero) }, end: Self.instant(50_000))
    #expect(try session.remarks == ["1 tone not drawn: a higher --samplerate is needed"])
    #expect(try session.read(.saleae).wires["TONE"]?.count == 1)
  }

  @Test func `bytes from the board at one instant follow each other, up to a limit`() throws {
    let session = DrawnSession(
      script: { waveform in
        for byte in 0..<UInt16(3_000) {
          waveform.take(.transmit(UInt8(truncatingIfNeeded: byte)), at: Self.instant(100))
        }
      }, end: Self.instant(50_000))
    let bytes = try session.read(.vcd).bytes(on: "TX", bauds: [9_600]).map { $0.byte }
    #expect(bytes == (0..<1_920).map { UInt8(truncatingIfNeeded: $0) })
    #expect(
      try session.remarks == [
        "1080 bytes from the board not drawn: the line had no time for them"
      ])
  }

  @Test func `pulses follow from stored widths, and begin again after a reset`() throws {
    let session = DrawnSession(
      deriving: DerivedPulses(Firmware.classic.sketch.timing),
      script: { waveform in
        var ignored = SaleaeCSVWriter(rate: .standard)
        waveform.take(.servo(degrees: 90, microseconds: 1_472), at: Self.instant(200))
        while try waveform.step(to: Self.instant(80_000), into: &ignored) {}
        waveform.reset(at: Self.instant(80_000), deadTime: .milliseconds(10))
        waveform.take(.servo(degrees: 45, microseconds: 1_008), at: Self.instant(90_200))
      }, end: Self.instant(170_000))
    let pulses = try session.read(.saleae).pulses(on: "SERVO")
    #expect(pulses.map { $0.width } == [1_008_000, 1_008_000])
    #expect(pulses.map { $0.nanoseconds } == [142_918_000, 162_922_000])
  }

  @Test func `fates within one sample are joined, and equal ones in turn are told apart`() throws {
    let session = DrawnSession(
      script: { waveform in
        for byte in "ab".utf8 { waveform.took(byte, .purged, at: Self.instant(100)) }
        waveform.took(UInt8(ascii: "1"), .digit, at: Self.instant(200))
        waveform.took(UInt8(ascii: "1"), .digit, at: Self.instant(300))
        for _ in 0..<100 { waveform.took(0, .cleared, at: Self.instant(400)) }
      }, end: Self.instant(1_000))
    let fates = try #require(session.read(.vcd).notes["fate"])
    #expect(
      fates.prefix(5).map { $0.text } == [
        "", "a purged, b purged", "1 digit", "", "1 digit",
      ])
    #expect(fates.map { $0.nanoseconds / 1_000 } == [0, 100, 200, 299, 300, 400])
    #expect((60..<90).contains(fates[5].text.count))
  }
}
