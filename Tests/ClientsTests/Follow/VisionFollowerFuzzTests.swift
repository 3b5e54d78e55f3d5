import TestSupport
import Testing
import Turret
import TurretProtocol

@testable import Clients

struct VisionFollowerFuzzTests {
  private typealias Action = VisionFollower<SeededGenerator>.Action

  private static let answers = [
    "12:00|angle^1|distance^2\n", "12:00|angle^50|", "12:01\n", "{\"angle\": 3}",
    "{\"angle\": NaN}",
    "garbage\n", "12:00|an", "{\"", String(repeating: "x", count: 3_000), "",
  ]

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `There is one connection and one question at a time, and no command is repeated`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var follower = VisionFollower(FollowSettings(), random: SeededGenerator(seed: seed &+ 1_000))
    var now = Instant.zero
    var isConnecting = false
    var isConnected = false
    var last: Command?

    func check(_ actions: [Action]) {
      for action in actions {
        switch action {
        case .connect:
          #expect(!isConnecting && !isConnected, "seed \(seed)")
          isConnecting = true
        case .disconnect:
          #expect(isConnecting || isConnected, "seed \(seed)")
          isConnecting = false
          isConnected = false
        case .write: #expect(isConnected, "seed \(seed)")
        case .send(let command):
          #expect(command != last, "seed \(seed)")
          last = command
        case .say: break
        }
      }
    }

    check(follower.start())
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0 where isConnecting:
        isConnecting = false
        check(follower.connectFailed("refused", at: now))
      case 1, 2:
        guard isConnecting else { continue }
        isConnecting = false
        isConnected = true
        check(follower.connected(at: now))
      case 3 where isConnected:
        isConnected = false
        check(follower.closed(Bool.random(using: &random) ? nil : "reset", at: now))
      case 4...7 where isConnected:
        check(follower.received(Self.answers.randomElement(using: &random)!.utf8, at: now))
      case 8...10:
        // Exactly on time, as a timer is.
        guard let deadline = follower.nextDeadline else { continue }
        now = max(now, deadline)
        check(follower.advance(to: now))
      default:
        now += .milliseconds(Int64.random(in: 0...60, using: &random))
        check(follower.advance(to: now))
      }
      // The bench never forgets a turret that was aimed: something is always due, except while
      // connecting, which has its own time limit.
      #expect(isConnecting || follower.nextDeadline != nil, "seed \(seed)")
    }
    #expect(follower.counts.answers > 20, "seed \(seed)")
    check(follower.stop())
    #expect(!isConnected && !isConnecting && follower.nextDeadline == nil, "seed \(seed)")
  }
}
