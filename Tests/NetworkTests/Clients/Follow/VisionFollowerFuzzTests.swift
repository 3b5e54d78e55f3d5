import Sketches
import TestSupport
import Testing
import TurretLink

@testable import Network

struct VisionFollowerFuzzTests {
  private static let answers = [
    "12:00|angle^1|distance^2\n", "12:00|angle^50|", "12:01\n", "{\"angle\": 3}",
    "{\"angle\": NaN}",
    "garbage\n", "12:00|an", "{\"", String(repeating: "x", count: 3_000), "",
  ]

  @Test(arguments: Seeds.first(60))
  func `There is one connection and one question at a time, and no command is repeated`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var follower = VisionFollower(FollowSettings(), seed: seed &+ 1_000)
    var link = LinkModel(seed: seed)
    var now = Instant.zero
    var last: Command?

    func handle(_ event: VisionFollower.Event) {
      for action in follower.handle(event, at: now) {
        switch action {
        case .link(let action): link.carryOut(action)
        case .write: #expect(link.isUsed, "seed \(seed)")
        case .send(let command):
          #expect(command != last, "seed \(seed)")
          last = command
        case .say: break
        }
      }
      // The bench never forgets a turret that was aimed: something is always due, except while
      // connecting, which has its own time limit.
      let isEnded = event == .link(.end)
      link.check(isStarted: true, isEnded: isEnded, nextDeadline: follower.nextDeadline)
      #expect(isEnded || link.attempts > 0 || follower.nextDeadline != nil, "seed \(seed)")
    }

    handle(.link(.start))
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2:
        guard let event = link.event(using: &random) else { continue }
        handle(.link(event))
        // Over bare TCP, a connection is open at once.
        if event == .connected, link.isUsed { handle(.link(.opened)) }
      case 3...7 where link.isUsed:
        handle(.received(Array(Self.answers.randomElement(using: &random)!.utf8)))
      case 8...10:
        // Exactly on time, as a timer is.
        guard let deadline = follower.nextDeadline else { continue }
        now = max(now, deadline)
        handle(.link(.passed))
      default:
        now += .milliseconds(Int64.random(in: 0...60, using: &random))
        handle(.link(.passed))
      }
    }
    #expect(follower.counts.answers > 20, "seed \(seed)")
    handle(.link(.end))
  }
}
