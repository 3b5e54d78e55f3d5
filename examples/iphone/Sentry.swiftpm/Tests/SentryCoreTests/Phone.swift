import Aim
import SentryCore
import TurretLink

/// A shooter whose commands go to the gateway as in the app, without a socket.
struct Phone {
  var shooter = Shooter()
  private var link = TurretLink()
  private var lifecycle = Lifecycle()
  /// What the gateway received, and when the connection was opened and closed.
  private(set) var log: [String] = []
  /// The commands, and when they were sent, in seconds.
  private(set) var sent: [(time: Double, bytes: [UInt8])] = []

  init() {
    shooter.layOut(width: 270, height: 480)
    report(.start, at: 0)
    report(.connected, at: 0)
  }

  mutating func see(_ found: [Observation], at time: Double) {
    let picture = Picture(
      time: time, image: Size(1920, 1080), side: .back, mode: .face, found: found)
    if let command = shooter.see(picture) { report(.send(LinkCommand(command)), at: time) }
  }

  mutating func enter(_ phase: Lifecycle.Phase, at time: Double) {
    switch lifecycle.enter(phase) {
    case .sleep:
      report(.send(LinkCommand(shooter.sleep())), at: time)
      report(.sleep, at: time)
    case .wake:
      shooter.wake()
      report(.wake, at: time)
    case nil: break
    }
  }

  mutating func report(_ event: TurretLink.Event, at time: Double) {
    for action in link.handle(event, at: time) {
      switch action {
      case .connect: log.append("connect")
      case .send(let command):
        log.append(command.text)
        sent.append((time, command.bytes))
      case .close: log.append("close")
      case .show(let status): shooter.link(status)
      }
    }
  }
}
