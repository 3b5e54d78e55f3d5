import Testing

@testable import Sketches

@Suite struct ServoTests {
  @Test(arguments: [(0, 100), (100, 100), (101, 120), (120, 120), (121, 140)] as [(Int64, Int64)])
  func `A new width appears at the next period`(_ now: Int64, _ edge: Int64) {
    let train = PulseTrain(first: .zero + .milliseconds(100), period: .milliseconds(20))
    #expect(train.edge(notBefore: .zero + .milliseconds(now)) == .zero + .milliseconds(edge))
  }

  @Test
  func `The shaft turns at its data sheet's rate and stops at its target`() {
    var shaft = Shaft(.sg90)
    shaft.follow(pulse: 544, endingAt: .zero + .seconds(1))
    // 0.1 s for 60 degrees: 90 degrees take 150 ms.
    #expect(shaft.angle(at: .zero + .seconds(1)) == 90)
    #expect(abs(shaft.angle(at: .zero + .milliseconds(1_050)) - 60) < 1e-9)
    #expect(abs(shaft.angle(at: .zero + .milliseconds(1_140)) - 6) < 1e-9)
    #expect(shaft.angle(at: .zero + .milliseconds(1_151)) == 0)
    #expect(shaft.arrival == .zero + .milliseconds(1_150))
  }

  @Test
  func `A load slows the shaft, and the stall torque holds it`() {
    var half = Shaft(.sg90, load: 0.5)
    half.follow(pulse: 544, endingAt: .zero)
    #expect(abs(half.angle(at: .zero + .milliseconds(100)) - 60) < 1e-9)
    var stalled = Shaft(.sg90, load: 1)
    stalled.follow(pulse: 544, endingAt: .zero)
    #expect(stalled.angle(at: .zero + .seconds(9)) == 90 && stalled.arrival == nil)
  }

  @Test(arguments: [(1_477.0, false), (1_483.0, true)])
  func `A change within the dead band moves nothing`(_ pulse: Double, _ moves: Bool) {
    var shaft = Shaft(.sg90)
    shaft.follow(pulse: 1_472, endingAt: .zero)
    let before = shaft.target
    shaft.follow(pulse: pulse, endingAt: .zero + .seconds(1))
    #expect((shaft.target != before) == moves)
  }

  @Test(arguments: [(544.0, 30.0), (2_400.0, 150.0)])
  func `End stops hold the shaft`(_ pulse: Double, _ angle: Double) {
    var shaft = Shaft(.mg996r)
    shaft.follow(pulse: pulse, endingAt: .zero)
    #expect(shaft.angle(at: .zero + .seconds(5)) == angle)
  }

  @Test
  func `A shaft with a new target in mid-turn continues from its position`() {
    var shaft = Shaft(.sg90)
    shaft.follow(pulse: 544, endingAt: .zero)
    shaft.follow(pulse: 2_400, endingAt: .zero + .milliseconds(100))
    #expect(abs(shaft.angle(at: .zero + .milliseconds(100)) - 30) < 1e-9)
    #expect(abs(shaft.angle(at: .zero + .milliseconds(200)) - 90) < 1e-9)
    #expect(shaft.angle(at: .zero + .seconds(1)) == 180)
  }
}
