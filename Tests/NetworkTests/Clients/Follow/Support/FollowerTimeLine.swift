import Sketches
import TurretLink

@testable import Network

/// A follower on a virtual clock, and its decisions: one line per action, such as `1033 VISION`,
/// with the time in whole milliseconds. Waits are the longest of their range.
struct FollowerTimeLine {
  private(set) var follower: VisionFollower
  private(set) var now = Instant.zero
  private var lines: [String] = []
  /// More deadlines than this at one instant would be an endless loop.
  private static let callsMax = 4

  init(_ change: (inout FollowSettings) -> Void = { _ in }) {
    var settings = FollowSettings()
    change(&settings)
    follower = VisionFollower(settings, seed: nil)
  }

  /// A follower of a phone that is connected; the first question has been sent.
  static func asked(_ change: (inout FollowSettings) -> Void = { _ in }) -> FollowerTimeLine {
    var line = FollowerTimeLine(change)
    line.start()
    line.connected()
    line.drop()
    return line
  }

  /// The decisions since the last call.
  mutating func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  mutating func drop() { lines = [] }

  // MARK: Events, now or later

  /// Time passes, with everything that is due meanwhile.
  mutating func run(to milliseconds: Int64) {
    let end = Instant.zero + .milliseconds(milliseconds)
    var calls = 0
    while let deadline = follower.nextDeadline, deadline <= end {
      calls = deadline > now ? 0 : calls + 1
      precondition(calls < Self.callsMax, "it asks for \(deadline) again and again")
      now = max(now, deadline)
      take(.link(.passed))
    }
    now = end
  }

  mutating func start() { take(.link(.start)) }
  mutating func stop() { take(.link(.end)) }
  mutating func connected() {
    take(.link(.connected))
    take(.link(.opened))
  }
  mutating func connectFailed() { take(.link(.refused("refused"))) }
  mutating func received(_ text: String) { take(.received(Array(text.utf8))) }
  mutating func closed(_ failure: String? = nil) { take(.link(.lost(failure))) }

  /// Receives an answer with the present time, as a phone's has.
  mutating func answered(_ angle: String) {
    received("12:00:00.\(now.nanoseconds / 1_000_000)|angle^\(angle)|distance^4.3\n")
  }

  private mutating func take(_ event: VisionFollower.Event) {
    // A greeting follows each connection, which is noted by what is said then.
    for action in follower.handle(event, at: now) where action != .link(.greet) {
      let text =
        switch action {
        case .link(let action): "\(action)"
        case .write(let text): text.replacing("\n", with: "\\n")
        case .send(let command): String(decoding: command.bytes, as: UTF8.self)
        case .say(let remark): "# \(remark)"
        }
      lines.append("\(now.nanoseconds / 1_000_000) \(text)")
    }
  }
}
