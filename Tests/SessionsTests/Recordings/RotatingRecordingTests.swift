import Devices
import Foundation
import Judging
import Network
import Sketches
import TestSupport
import Testing
import Traces

@testable import Sessions

/// A recording in parts, as a gateway keeps it.
@Suite(.ownThread) struct RotatingRecordingTests {
  /// Large enough for an aim in every part: without one, the state of the board is unknown.
  private static let small = RotationPolicy(bytesMax: 6_000, keep: 100)

  /// Sends sweeps and aims as a phone does, for 30 s, with some quiet times.
  private static func play(_ session: inout RotatedSession) {
    session.run(to: .zero + .seconds(2))
    for round in 0..<8 {
      session.send("L")
      session.run(for: .milliseconds(1_700))
      for step in 0..<40 {
        session.send("X\(40 + (round * 7 + step * 3) % 100).")
        session.run(for: .milliseconds(33))
      }
      session.run(for: .milliseconds(400))
    }
  }

  @Test(arguments: Firmware.allCases)
  func `Every part of a session of sweeps and aims is a trace that verifies`(firmware: Firmware)
    throws
  {
    var session = try RotatedSession(firmware, Self.small, in: TestFolder())
    Self.play(&session)
    try session.finish()
    let parts = session.parts
    #expect(parts.count > 4)
    #expect(session.news.isEmpty)
    #expect(session.recording.health.part == parts.count)
    #expect(session.recording.health.failure == nil)
    var joined: [Event] = []
    for (index, part) in parts.enumerated() {
      let verdict = try session.verdict(on: part)
      #expect(verdict.outcome == .agrees, "\(part)")
      #expect(verdict.tally.matched > 5, "\(part)")
      var (header, events) = try session.read(part)
      #expect(header.start == (index == 0 ? .reset : .unknown))
      #expect(header.firmware == firmware)
      let end = try #require(events.last)
      #expect(end.kind == .mark("end"))
      var origin = Instant.zero
      if index > 0 {
        origin = try RotatedSession.origin(of: events)
        #expect(events.removeFirst().time == .zero)
        #expect(origin.nanoseconds % 1_000 == 0)
        #expect(events[0].time < .zero + .seconds(1))
      }
      if index < parts.count - 1 { events.removeLast() }
      joined += events.map { Event(origin + ($0.time - .zero), $0.kind) }
    }
    // Between two parts nothing is lost and nothing is repeated.
    #expect(joined == session.events)
  }

  @Test func `No command is split if a quiet moment comes in time`() throws {
    var session = try RotatedSession(.classic, Self.small, in: TestFolder())
    Self.play(&session)
    try session.finish()
    for part in session.parts.dropFirst() {
      let (_, events) = try session.read(part)
      let first = try #require(events.first { $0.isInput || $0.output != nil })
      if case .output(.servo) = first.kind { continue }  // A sweep continues.
      #expect(first.isInput, "\(part) begins with what an input before it caused")
    }
    for part in session.parts {
      #expect(session.folder.size(part) < 2 * Self.small.bytesMax, "\(part)")
    }
  }

  @Test func `Without a quiet moment a part ends at twice its size, and verifies too`() throws {
    var session = try RotatedSession(.guarded, Self.small, in: TestFolder())
    session.run(to: .zero + .seconds(1))
    for step in 0..<2_000 {
      session.send("X\(20 + step * 7 % 140).")
      session.run(to: session.now + .milliseconds(10), isNeverQuiet: true)
    }
    try session.finish()
    #expect(session.parts.count > 4)
    for part in session.parts {
      #expect(try session.verdict(on: part).outcome == .agrees, "\(part)")
      if part != "session.jsonl" {
        #expect((12_000...12_200).contains(session.folder.size(part)), "\(part)")
      }
    }
  }

  @Test func `The file's earlier contents are kept, and the oldest part is removed`() throws {
    let folder = try TestFolder()
    for number in 1...7 {
      try folder.write(EarlierFile.text("before \(number)"), "session.jsonl")
      var session = try RotatedSession(.guarded, RotationPolicy(keep: 3), in: folder)
      #expect(try folder.read("session.jsonl") == EarlierFile.text("before \(number)"))
      session.run(to: .zero + .seconds(1))
      try session.finish()
      #expect(try folder.read("session.1.jsonl") == EarlierFile.text("before \(number)"))
      #expect(session.parts.count == min(number, 3) + 1)
      #expect(try session.verdict(on: "session.jsonl").outcome == .agrees)
    }
    // Each recording in between was the present part before the next.
    #expect(try folder.read("session.2.jsonl") == EarlierFile.text("before 6"))
  }

  @Test func `An empty file is used and not kept as a part`() throws {
    let folder = try TestFolder()
    try folder.write("", "session.jsonl")
    var session = try RotatedSession(.guarded, Self.small, in: folder)
    session.run(to: .zero + .seconds(1))
    try session.finish()
    #expect(session.parts == ["session.jsonl"])
  }

  @Test func `Every line is in the file at once, whatever ends the bench`() throws {
    var session = try RotatedSession(.guarded, RotationPolicy(), in: TestFolder())
    session.run(to: .zero + .seconds(1))
    session.send("L")
    session.run(for: .milliseconds(500))
    let (_, events) = try session.read("session.jsonl")
    #expect(events == session.events)
    #expect(events.count > 30)
    #expect(session.recording.health.bytes == session.folder.size("session.jsonl"))
    #expect(try session.verdict(on: "session.jsonl").outcome == .agrees)
  }

  @Test func `A sender at the wrong speed has that speed in the next part too`() throws {
    var session = try RotatedSession(
      .guarded, RotationPolicy(bytesMax: 350, keep: 100), in: TestFolder())
    session.run(to: .zero + .seconds(1))
    session.take(.baud(4_800))
    for step in 0..<10 {
      session.send("X\(40 + step * 9).")
      session.run(for: .milliseconds(100))
    }
    session.take(.baud(9_600))
    for step in 0..<20 {
      session.send("X\(40 + step * 4).")
      session.run(for: .milliseconds(100))
    }
    try session.finish()
    let parts = session.parts
    #expect(try session.read(parts[1]).events.first == Event(.zero, .baud(4_800)))
    #expect(try session.read(parts[parts.count - 1]).events.allSatisfy { !$0.isBaud })
  }
}

extension Event {
  fileprivate var isBaud: Bool { if case .baud = kind { true } else { false } }
}
