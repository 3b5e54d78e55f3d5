import Clients
import Turret
import TurretProtocol

/// A follower on a virtual clock, and its decisions: one line per action, such as `1033 VISION`,
/// with the time in whole milliseconds. Waits are the longest of their range.
struct FollowerTimeLine {
  private(set) var follower: VisionFollower<LastOfRange>
  private(set) var now = Instant.zero
  private var lines: [String] = []
  /// More calls to `advance` than this at one instant would be an endless loop.
  private static let callsMax = 4

  init(_ change: (inout FollowSettings) -> Void = { _ in }) {
    var settings = FollowSettings()
    change(&settings)
    follower = VisionFollower(settings, random: LastOfRange())
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
      note(follower.advance(to: now))
    }
    now = end
  }

  mutating func start() { note(follower.start()) }
  mutating func stop() { note(follower.stop()) }
  mutating func connected() { note(follower.connected(at: now)) }
  mutating func connectFailed() { note(follower.connectFailed("refused", at: now)) }
  mutating func received(_ text: String) { note(follower.received(text.utf8, at: now)) }
  mutating func closed(_ failure: String? = nil) { note(follower.closed(failure, at: now)) }

  /// Receives an answer with the present time, as a phone's has.
  mutating func answered(_ angle: String) {
    received("12:00:00.\(now.nanoseconds / 1_000_000)|angle^\(angle)|distance^4.3\n")
  }

  private mutating func note(_ actions: [VisionFollower<LastOfRange>.Action]) {
    for action in actions {
      let text =
        switch action {
        case .connect: "connect"
        case .disconnect: "disconnect"
        case .write(let text): text.replacing("\n", with: "\\n")
        case .send(let command): String(decoding: command.bytes, as: UTF8.self)
        case .say(let remark): "# \(remark)"
        }
      lines.append("\(now.nanoseconds / 1_000_000) \(text)")
    }
  }
}
