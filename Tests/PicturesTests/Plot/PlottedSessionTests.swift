import Testing
import Traces
import Turret

@testable import Devices
@testable import Pictures

struct PlottedSessionTests {
  private func make(
    _ events: String, firmware: Firmware = .classic, duration: String = "3",
    servo: ServoData = .sg90
  ) throws -> PlottedSession {
    let header =
      #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware.rawValue)", "#
      + #""duration": \#(duration), "title": "t"}"#
    var reader = try TraceReader(text: Array((header + "\n" + events).utf8), path: "t")
    let device = ModelSource().makeDevice(
      for: reader.header, firmware: firmware, showsPulses: true)
    return try .make(&reader, on: device, named: "model", firmware: firmware, servo: servo)
  }

  @Test func `An aim shows as a step, later pulses and a shaft that follows them`() throws {
    let session = try make("[1.500000, \"rx\", \"X45.\"]\n")
    #expect(session.commanded.map(\.value) == [90, 45])
    let aim = session.commanded[1].time
    let pulse = try #require(session.pulses.first { $0.value == 1_008 })
    #expect(pulse.time > aim && pulse.time - aim < .microseconds(20_003))
    // At rest, departure at the end of the first new pulse, arrival, end.
    #expect(session.shaft.count == 4)
    #expect(session.shaft[1].time == pulse.time + .microseconds(1_008))
    #expect(session.shaft[1].value == 90)
    #expect((session.shaft[2].value - 45).magnitude < 0.1)
    let turning = (session.shaft[2].time - session.shaft[1].time).seconds
    #expect((turning - 0.075).magnitude < 0.001)
    #expect(session.shaft[3].time == session.end)
    #expect(session.bytes.map(\.fate) == [.letter, .digit, .digit, .terminator])
  }

  @Test(arguments: [
    (Firmware.classic, "[1.500000, \"rx\", \"L\"]\n", [ModeBand.startingUp, .idle, .scanningUp]),
    (.classic, "[1.500000, \"rx\", \"X4\"]\n", [.startingUp, .idle, .readingNumber]),
    (.classic, "[0.500000, \"rx\", \"ZX45.\"]\n", [.startingUp, .idle, .purging, .idle]),
    (.buzzer, "[1.500000, \"rx\", \"T\"]\n", [.startingUp, .idle, .sounding, .idle]),
    (.guarded, "[1.500000, \"rx\", \"L\"]\n", [.startingUp, .idle, .scanningUp]),
    (.guarded, "[1.500000, \"rx\", \"X4\"]\n", [.startingUp, .idle, .readingNumber, .idle]),
  ])
  func `Modes are bands without gaps`(
    _ firmware: Firmware, _ events: String, _ modes: [ModeBand]
  ) throws {
    let session = try make(events, firmware: firmware, duration: "2.2")
    #expect(session.modes.map(\.mode) == modes)
    #expect(session.modes.first?.start == .zero)
    #expect(session.modes.last?.end == session.end)
    for (a, b) in zip(session.modes, session.modes.dropFirst()) { #expect(a.end == b.start) }
  }

  @Test func `A sweep changes from one band to the other at its upper end`() throws {
    let session = try make("[1.500000, \"rx\", \"L\"]\n", duration: "4")
    #expect(session.modes.map(\.mode).suffix(2) == [.scanningUp, .scanningDown])
    let turn = try #require(session.modes.last).start
    let top = try #require(session.commanded.first { $0.value == 160 })
    #expect((turn - top.time).magnitude < .milliseconds(31))
  }

  @Test func `Tones, resets and expectations are recorded`() throws {
    let session = try make(
      "[1.500000, \"rx\", \"T\"]\n[1.600000, \"servo\", 7, 616]\n[2.000000, \"reset\", 0.5]\n",
      firmware: .buzzer)
    #expect(session.tones.map(\.hertz) == [800])
    #expect(session.resets == [.zero + .seconds(2)])
    #expect(session.expected == [.init(.zero + .milliseconds(1_600), 7)])
    #expect(session.showsExpected)
  }

  @Test func `A long session stays below a megabyte`() throws {
    var events = ""
    for second in 2..<1_000 { events += "[\(second).000000, \"rx\", \"X\(second % 180).ZL\"]\n" }
    let session = try make(events, duration: "1000")
    #expect(session.isThinned)
    #expect(session.commanded.count <= ThinnedSeries.kept)
    #expect(session.pulses.count <= ThinnedSeries.kept)
    let svg = SessionPicture.svg(of: session)
    #expect(svg.utf8.count < 1_000_000)
    #expect(Wellformedness(svg) != nil)
  }

  @Test func `Thinning keeps the extremes`() {
    var series = ThinnedSeries()
    for index in 0..<100_000 {
      let value = index == 54_321 ? 180.0 : index == 54_322 ? 0 : 90
      series.append(.init(.zero + .milliseconds(Int64(index)), value))
    }
    let thinned = series.finished(at: .zero + .seconds(100))
    #expect(thinned.isThinned)
    #expect(thinned.samples.count <= ThinnedSeries.kept)
    #expect(thinned.samples.map(\.value).max() == 180)
    #expect(thinned.samples.map(\.value).min() == 0)
    let times = thinned.samples.map(\.time)
    #expect(times == times.sorted())
  }

  @Test func `Many short bands become few, each with the longest mode of its time`() {
    var bands = ThinnedBands()
    for index in 0..<50_000 {
      let start = Instant.zero + .milliseconds(Int64(index) * 10)
      bands.append(.readingNumber, from: start, to: start + .milliseconds(3))
      bands.append(.idle, from: start + .milliseconds(3), to: start + .milliseconds(10))
    }
    let finished = bands.finished(at: .zero + .seconds(500))
    #expect(finished.isThinned)
    #expect(finished.bands.count < 2_500)
    let idle = finished.bands.filter { $0.mode == .idle }
    let length = idle.reduce(Interval.zero) { $0 + ($1.end - $1.start) }
    #expect(length > .seconds(340))
  }
}
