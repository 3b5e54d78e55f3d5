import TestSupport
import Testing
import Turret

@testable import sentrybench

@Suite(.ownThread) struct RotationScheduleTests {
  private let policy = RotationPolicy(bytesMax: 100, keep: 2, retryPeriod: .seconds(30))

  @Test(
    arguments: [
      (0, true, false), (99, true, false), (100, true, true), (100, false, false),
      (199, false, false), (199, true, true), (200, false, true),
      (Int64.max, false, true),
    ] as [(Int64, Bool, Bool)])
  func `A part ends when it is large and all is quiet, at twice the size in any case`(
    length: Int64, isQuiet: Bool, isDue: Bool
  ) {
    let schedule = RotationSchedule(policy)
    #expect(schedule.isDue(length: length, at: .zero, isQuiet: isQuiet) == isDue)
    #expect(schedule.nextTry == nil)
  }

  @Test func `A part that broke is followed by another after 30 s, and so on`() {
    var schedule = RotationSchedule(policy)
    schedule.broke(at: .zero + .seconds(5))
    #expect(schedule.isBroken)
    #expect(schedule.nextTry == .zero + .seconds(35))
    #expect(!schedule.isDue(length: 500, at: .zero + .milliseconds(34_999), isQuiet: true))
    #expect(schedule.isDue(length: 0, at: .zero + .seconds(35), isQuiet: false))
    schedule.broke(at: .zero + .seconds(35))
    #expect(!schedule.isDue(length: 0, at: .zero + .seconds(64), isQuiet: true))
    schedule.began()
    #expect(!schedule.isBroken)
    #expect(!schedule.isDue(length: 99, at: .zero + .seconds(66), isQuiet: true))
    #expect(schedule.isDue(length: 100, at: .zero + .seconds(66), isQuiet: true))
  }

  @Test func `A part that has no successor is gone on with, and 30 s pass until the next try`() {
    var schedule = RotationSchedule(policy)
    schedule.failed(at: .zero + .seconds(5))
    #expect(!schedule.isBroken)
    #expect(schedule.nextTry == nil)
    #expect(!schedule.isDue(length: 1_000, at: .zero + .seconds(34), isQuiet: true))
    #expect(schedule.isDue(length: 1_000, at: .zero + .seconds(35), isQuiet: false))
  }
}
