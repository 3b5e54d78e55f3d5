import Aim
import SentryCore
import Testing
import TurretLink

/// A shooter whose commands go to the gateway as in the app, without a socket.
private struct Phone {
  var shooter = Shooter()
  private var link = TurretLink()
  private var lifecycle = Lifecycle()
  /// What the gateway received, and when the connection was opened and closed.
  private(set) var log: [String] = []

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
      case .send(let command): log.append(command.text)
      case .close: log.append("close")
      case .show(let status): shooter.link(status)
      }
    }
  }
}

@Suite struct ConnectionTests {
  private let face = Observation(.face, box: Box(0.4, 0.4, 0.2, 0.2))

  @Test func `A locked phone lets go of the turret, and its first aim afterwards is sent`() {
    var phone = Phone()
    phone.see([face], at: 1)
    phone.enter(.inactive, at: 2)
    phone.enter(.background, at: 2.1)
    // A picture that was still on its way.
    phone.see([face], at: 2.2)
    phone.enter(.active, at: 60)
    #expect(phone.shooter.display.connection == "Connecting")
    phone.report(.connected, at: 60.5)
    phone.see([face], at: 61)
    phone.see([face], at: 61.1)
    #expect(phone.log == ["connect", "X90.", "L", "close", "connect", "X90."])
    #expect(phone.shooter.display.light == .green)
  }

  @Test func `A client waits while another controls the turret, and says so`() {
    var phone = Phone()
    phone.see([face], at: 1)
    phone.report(
      .message(#"{"error": "not-in-control", "message": "another client is in control"}"#), at: 1)
    #expect(phone.shooter.display.light == .yellow)
    #expect(phone.shooter.display.connection == "Connected. Another client controls the turret.")
    #expect(phone.shooter.display.notice == nil)
    phone.see([], at: 2)
    #expect(phone.log == ["connect", "X90."])
    phone.report(.message(#"{"notice": "control-gained", "message": "your turn"}"#), at: 3)
    #expect(phone.log == ["connect", "X90.", "L"])
    #expect(phone.shooter.display.light == .green)
  }

  @Test func `What the gateway reports is shown`() {
    var phone = Phone()
    phone.report(.message(#"{"error": "no-board", "message": "no board"}"#), at: 1)
    #expect(phone.shooter.display.notice == "The board is not connected to the gateway.")
  }
}
