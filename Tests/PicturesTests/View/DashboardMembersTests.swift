import Sketches
import Testing
import Traces

@testable import Pictures

struct DashboardMembersTests {
  private static func text(_ status: LiveStatus) -> String {
    JSONValue.object(status.dashboardMembers).text
  }

  @Test func `Commanded angle, pulse and shaft are told apart`() {
    var status = LiveStatus.sample(.guarded, "X45.")
    status.commandedDegrees = 45
    status.commandedMicroseconds = 1_008
    status.shaftDegrees = 61.2345
    status.isShaftMoving = true
    let text = Self.text(status)
    #expect(
      text.contains(#""servos": [{"pin": null, "label": null, "commanded": 45, "pulse": 1008"#))
    #expect(text.contains(#""shaft": 61.2, "moving": true"#))
    #expect(text.contains(#""baud": 9600, "sender_baud": 9600"#))
  }

  @Test func `A servo has the name that the profile gives its pin`() throws {
    let pin = try #require(BoardPin(name: "D10"))
    var profile = Profile(name: "pan-tilt", commands: [CommandForm([.byte(0x46)])])
    profile.servos = [.init("tilt", pin)]
    var status = LiveStatus(port: "", device: "avr", firmware: .guarded, baud: 9_600)
    status.commandedDegrees = 90
    status.ownPin = .usualServo
    status.others = [
      ServoStatus(
        pin: pin, commandedDegrees: 45, commandedMicroseconds: 1_008, shaftDegrees: 45,
        isShaftMoving: false)
    ]
    #expect(Self.text(status).contains(#"{"pin": "D10", "label": "D10", "commanded": 45"#))
    status.profile = profile
    let text = Self.text(status)
    #expect(text.contains(#""profile": "pan-tilt""#))
    #expect(text.contains(#"{"pin": "D9", "label": "D9", "commanded": 90"#))
    #expect(text.contains(#"{"pin": "D10", "label": "tilt D10", "commanded": 45"#))
  }

  @Test func `There is no servo before the first command, and no shaft on a board`() {
    var status = LiveStatus(port: "", device: "serial", firmware: .guarded, baud: 9_600)
    #expect(Self.text(status).contains(#""servos": []"#))
    status.commandedDegrees = 45
    #expect(Self.text(status).contains(#""pulse": null, "pulse_degrees": null, "shaft": null"#))
  }

  @Test func `Commands are shown as the sketch understood them`() {
    let text = LiveStatus.sample(.classic, "X45.X9X200.").dashboardCommands.text
    #expect(text.contains(#""text": "X45.", "outcome": "aimed at 45", "standing": "obeyed""#))
    #expect(text.contains(#""standing": "misunderstood""#))
  }

  @Test func `A list of commands has a limit`() {
    let status = LiveStatus.sample(.guarded, String(repeating: "X45.L", count: 60))
    guard case .array(let commands) = status.dashboardCommands else {
      Issue.record("not a list")
      return
    }
    #expect((1...12).contains(commands.count))
  }
}
