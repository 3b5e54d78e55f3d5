import Sketches
import TestSupport
import Testing
import Traces

@testable import Devices
@testable import Pictures

struct PlottedSessionTests {
  private func make(
    _ events: String, firmware: Firmware = .classic, duration: String = "3",
    servo: ServoData = .sg90, title: String = "t", from start: Instant = .zero,
    to last: Instant = .distantFuture
  ) throws -> PlottedSession {
    let header =
      #"{"format": "sentry-trace", "version": 1, "firmware": "\#(firmware.rawValue)", "#
      + #""duration": \#(duration), "title": "\#(title)"}"#
    var reader = try TraceReader(text: Array((header + "\n" + events).utf8), path: "t")
    let device = ModelSource().makeDevice(
      for: reader.header, firmware: firmware, showsPulses: true)
    return try .make(
      &reader, on: device, named: "model", firmware: firmware, servo: servo,
      fileName: "file.jsonl", from: start, to: last)
  }

  @Test(arguments: [("a session", "a session"), ("", "file.jsonl")])
  func `The title is the file's name if the trace has none`(_ title: String, _ shown: String) throws
  {
    #expect(try make("", title: title).title == shown)
  }

  @Test(arguments: [(0, 3), (1_500_000, 3), (1_500_000, 2)])
  func `A face is drawn whenever it is first seen`(first: Int64, count: Int) throws {
    let seen = Instant.zero + .microseconds(first)
    let events: [(Int64, String)] = [
      (0, #""x-shaft", 90"#), (1_000_000, #""x-shaft", 91"#), (first, #""x-truth", 70"#),
      (1_600_000, #""x-shaft", 80"#), (1_700_000, #""x-truth", null"#),
      (1_800_000, #""x-truth", 75"#),
    ]
    let text = events.sorted { $0.0 < $1.0 }.map {
      "[\(String(canonical: .zero + .microseconds($0.0))), \($0.1)]\n"
    }
    let end = Instant.zero + (count == 3 ? .seconds(3) : .milliseconds(1_750))
    let session = try make(text.joined(), title: "", to: end)
    let face = try #require(session.tracking)
    #expect(face.face.map(\.time).first == seen)
    #expect(face.face.map(\.value) == Array([70, nil, 75].prefix(count)))
    #expect(face.shaft.last?.value == 80)
    #expect(face.end == end)
    #expect(face.subtitle == "classic, file.jsonl")
    #expect(TrackingPicture.svg(of: face).contains("A turret that follows a face"))
  }

  @Test func `What precedes a face is kept up to a limit`() throws {
    let events = (0..<25_000).map { "[\(Double($0) / 20_000), \"x-shaft\", \($0 % 180)]\n" }
    #expect(try make(events.joined()).tracking == nil)
    let face = try #require(try make(events.joined() + "[2, \"x-truth\", 70]\n").tracking)
    #expect((5_000...10_000).contains(face.shaft.count))
    #expect(face.shaft.last?.value == Double(24_999 % 180))
  }

  @Test func `A cut picture begins and ends with what holds there`() throws {
    let events = "[1.500000, \"rx\", \"X45.\"]\n[2.000000, \"rx\", \"X135.\"]\n"
    let whole = try make(events)
    let (start, end) = (Instant.zero + .milliseconds(1_540), Instant.zero + .milliseconds(2_003))
    let cut = try make(events, from: start, to: end)
    #expect(cut.start == start && cut.end == end && !cut.isWhole && whole.isWhole)
    #expect(cut.subtitle.hasSuffix(" · 1.54 s to 2.003 s of 3 s"))
    #expect(cut.commanded == [.init(start, 45)])
    #expect(cut.pulses == whole.pulses.filter { (start...end).contains($0.time) })
    // The shaft was on its way from 90 to 45 degrees.
    let first = try #require(cut.shaft.first)
    #expect(first.time == start && first.value > 46 && first.value < 89)
    #expect(cut.shaft.last?.time == end)
    #expect(cut.modes.first?.start == start && cut.modes.last?.end == end)
    // The bytes after the cut are fed, so that no byte before it counts as never taken.
    #expect(cut.bytes == whole.bytes.filter { (start...end).contains($0.arrived) })
    #expect(cut.bytes.map(\.fate) == [.letter, .digit])
  }

  @Test func `An end beyond the session's end is its end`() throws {
    let session = try make("", from: .zero + .seconds(1), to: .zero + .seconds(9))
    #expect(session.end == .zero + .seconds(3))
    #expect(session.isWhole)
    #expect(session.subtitle.hasSuffix("1 s to 3 s of 3 s"))
  }

  @Test func `An angle is not held across a reset before the picture`() throws {
    let session = try make(
      "[0.500000, \"rx\", \"X45.\"]\n[1.000000, \"reset\", 1]\n", firmware: .guarded,
      from: .zero + .milliseconds(1_500), to: .zero + .milliseconds(1_900))
    #expect(session.commanded.isEmpty)
    #expect(session.resets.isEmpty)
  }

  @Test func `A part of a long session shows every event`() throws {
    var events = ""
    for second in 2..<1_000 { events += "[\(second).000000, \"rx\", \"X\(second % 180).ZL\"]\n" }
    let start = Instant.zero + .seconds(500)
    let part = try make(events, duration: "1000", from: start, to: start + .seconds(5))
    #expect(!part.isThinned)
    #expect(part.pulses.count > 240)
    #expect(part.commanded.first?.time == start)
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `Any part of a session can be drawn, and shows nothing outside it`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var events = ""
    var time: Int64 = 0
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      time += .random(in: 0...200_000, using: &random)
      let text = ["X45.", "X170", "L", "Z", ".", "?", "X9"].randomElement(using: &random) ?? "L"
      events += "[\(String(canonical: .zero + .microseconds(time))), \"rx\", \"\(text)\"]\n"
    }
    let start = Instant(nanoseconds: .random(in: 0..<3_000_000_000, using: &random))
    let length = Interval.nanoseconds(.random(in: 1...3_000_000_000, using: &random))
    let firmware = Firmware.allCases.randomElement(using: &random) ?? .classic
    let session = try make(
      events, firmware: firmware, duration: "7", from: start, to: start + length)
    let window = session.start...session.end
    for series in [session.commanded, session.pulses, session.shaft] {
      #expect(series.allSatisfy { window.contains($0.time) }, "seed \(seed)")
      #expect(series.allSatisfy { $0.value.isFinite }, "seed \(seed)")
    }
    #expect(session.modes.allSatisfy { window.contains($0.start) && window.contains($0.end) })
    #expect(session.bytes.allSatisfy { window.contains($0.arrived) }, "seed \(seed)")
    #expect(Wellformedness(SessionPicture.svg(of: session)) != nil, "seed \(seed)")
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
    #expect(session.commanded.count <= 4 * 1_000)
    #expect(session.pulses.count <= 4 * 1_000)
    let svg = SessionPicture.svg(of: session)
    #expect(svg.utf8.count < 1_000_000)
    #expect(Wellformedness(svg) != nil)
  }

  @Test func `Thinning keeps the extremes`() {
    var series = ThinnedSeries(.zero ... .distantFuture, columns: 1_000)
    for index in 0..<100_000 {
      let value = index == 54_321 ? 180.0 : index == 54_322 ? 0 : 90
      series.append(.init(.zero + .milliseconds(Int64(index)), value))
    }
    let thinned = series.finished(at: .zero + .seconds(100))
    #expect(thinned.isThinned)
    #expect(thinned.samples.count <= 4 * 1_000)
    #expect(thinned.samples.map(\.value).max() == 180)
    #expect(thinned.samples.map(\.value).min() == 0)
    let times = thinned.samples.map(\.time)
    #expect(times == times.sorted())
  }

  @Test func `Many short bands become few, each with the longest mode of its time`() {
    var bands = ThinnedBands(.zero ... .distantFuture, columns: 500)
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
