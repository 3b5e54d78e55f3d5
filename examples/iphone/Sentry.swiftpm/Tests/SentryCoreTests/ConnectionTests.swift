import Aim
import SentryCore
import Testing
import TurretLink

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
