import Sketches
import TestSupport
import Testing

@testable import Sessions

@Suite(.ownThread) struct RotationScheduleTests {
  private let policy = RotationPolicy(
    bytesMax: 100, keep: 2, retryPeriod: .seconds(30), lookPeriod: .milliseconds(500))

  @Test(
    arguments: [
      (0, true, false), (99, true, false), (100, true, true), (100, false, false),
      (199, false, false), (199, true, true), (200, false, true),
      (Int64.max, false, true),
    ] as [(Int64, Bool, Bool)])
  func `A part ends when it is large and the line is quiet, or at twice the size`(
    length: Int64, isQuiet: Bool, isDue: Bool
  ) {
    let schedule = RotationSchedule(policy, isFile: true)
    #expect(schedule.isDue(length: length, at: .zero, isQuiet: isQuiet) == isDue)
    #expect(schedule.nextDeadline == nil)
  }

  @Test func `A failed part is followed by another after 30 s, and so on`() {
    var schedule = RotationSchedule(policy, isFile: true)
    schedule.broke(at: .zero + .seconds(5))
    #expect(schedule.isBroken)
    #expect(schedule.nextDeadline == .zero + .seconds(35))
    #expect(!schedule.isDue(length: 500, at: .zero + .milliseconds(34_999), isQuiet: true))
    #expect(schedule.isDue(length: 0, at: .zero + .seconds(35), isQuiet: false))
    schedule.broke(at: .zero + .seconds(35))
    #expect(!schedule.isDue(length: 0, at: .zero + .seconds(64), isQuiet: true))
    schedule.began(at: .zero + .seconds(66))
    #expect(!schedule.isBroken)
    #expect(!schedule.isDue(length: 99, at: .zero + .seconds(66), isQuiet: true))
    #expect(schedule.isDue(length: 100, at: .zero + .seconds(66), isQuiet: true))
  }

  @Test func `A part without a successor is continued for another 30 s before the next try`() {
    var schedule = RotationSchedule(policy, isFile: true)
    schedule.failed(at: .zero + .seconds(5))
    #expect(!schedule.isBroken)
    #expect(schedule.nextDeadline == nil)
    #expect(!schedule.isDue(length: 1_000, at: .zero + .seconds(34), isQuiet: true))
    #expect(schedule.isDue(length: 1_000, at: .zero + .seconds(35), isQuiet: false))
  }

  private func times(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// Returns which of these milliseconds, taken in order, are those of a check.
  private func looks(_ schedule: inout RotationSchedule, _ milliseconds: Int64...) -> [Int64] {
    var taken: [Int64] = []
    for time in milliseconds where schedule.takeLook(at: times(time)) { taken.append(time) }
    return taken
  }

  @Test func `The file is checked twice a second, even if nothing happens`() {
    var schedule = RotationSchedule(policy, isFile: true)
    #expect(looks(&schedule, 0) == [])
    schedule.began(at: times(100))
    #expect(schedule.nextDeadline == times(600))
    #expect(looks(&schedule, 599, 700, 700, 1_199) == [700])
    #expect(schedule.nextDeadline == times(1_200))
    schedule.broke(at: times(800))
    #expect(looks(&schedule, 5_000) == [])
    #expect(schedule.nextDeadline == times(30_800))
  }

  @Test func `A device or a FIFO is not checked`() {
    var schedule = RotationSchedule(policy, isFile: false)
    schedule.began(at: .zero)
    #expect(schedule.nextDeadline == nil)
    #expect(looks(&schedule, 60_000) == [])
  }

  @Test func `A missing part is followed by another at once, or after 30 s`() {
    var schedule = RotationSchedule(policy, isFile: true)
    schedule.began(at: times(0))
    schedule.strayed()
    #expect(schedule.isAstray)
    #expect(schedule.isDue(length: 0, at: times(1), isQuiet: false))
    schedule.failed(at: times(1))
    #expect(schedule.nextDeadline == times(30_001))
    #expect(!schedule.isDue(length: 0, at: times(30_000), isQuiet: true))
    #expect(looks(&schedule, 30_000) == [])
    #expect(schedule.isDue(length: 0, at: times(30_001), isQuiet: false))
    schedule.began(at: times(30_001))
    #expect(!schedule.isAstray)
    #expect(schedule.nextDeadline == times(30_501))
  }
}
