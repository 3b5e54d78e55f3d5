import Devices
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

  @Test func `Pins have names, and their levels once they are known`() throws {
    var status = LiveStatus(port: "", device: "avr", firmware: .guarded, baud: 9_600)
    let (fire, other) = (try #require(BoardPin(name: "D7")), try #require(BoardPin(name: "D2")))
    status.watchedPins = [fire, other]
    status.pins = [LivePin(pin: fire, isHigh: true, changes: 3)]
    var profile = Profile(name: "turret", commands: [])
    profile.pins = [.init("fire", fire)]
    status.profile = profile
    #expect(
      Self.text(status).contains(
        #""pins": [{"pin": "D2", "name": null, "high": null, "changes": 0}, "#
          + #"{"pin": "D7", "name": "fire", "high": true, "changes": 3}]"#))
  }

  @Test func `Inputs have a value and its range, and a part also before it was told anything`()
    throws
  {
    var status = LiveStatus(port: "", device: "avr", firmware: .guarded, baud: 9_600)
    #expect(Self.text(status).contains(#""inputs": null"#))
    let sonar = try #require(BoardPart("hc-sr04@D7:D8"))
    status.parts = [sonar: PartInput(noun: "a distance", range: 20_000..<10_000_001)]
    status.inputs = [
      .level(try #require(BoardPin(name: "D2")), true),
      .voltage(try #require(BoardPin(name: "A0")), microvolts: 2_500_000),
    ]
    #expect(
      Self.text(status).contains(
        #""inputs": [{"kind": "set", "target": "D2", "name": null, "value": 1, "low": 0, "high": 1}, "#
          + #"{"kind": "analog", "target": "A0", "name": null, "value": 2.5, "low": 0, "high": 5}, "#
          + #"{"kind": "part", "target": "hc-sr04@D7:D8", "name": "a distance", "value": null, "#
          + #""low": 0.02, "high": 10}]"#))
    status.inputs?.append(.part(sonar, millionths: 350_000))
    #expect(Self.text(status).contains(#""value": 0.35"#))
    // A part that is told something, but takes nothing.
    status.parts = [:]
    #expect(Self.text(status).contains(#""low": 0, "high": 0"#))
  }

  @Test func `The commands of a profile are described part by part`() throws {
    var status = LiveStatus(port: "", device: "avr", firmware: .guarded, baud: 9_600)
    #expect(Self.text(status).contains(#""forms": null"#))
    status.profile = Profile(
      name: "turret", commands: [try CommandForm(#"P{pan:-1.5..1.5}{P|p}{\r?}\n"#)])
    #expect(
      Self.text(status).contains(
        #""parts": [{"byte": 80}, {"name": "pan", "as": "digits", "low": -15, "high": 15, "#
          + #""decimals": 1, "width": 0}, {"byte": 80}, {"byte": 10}]"#))
    status.profile = Profile(
      name: "turret",
      commands: [try CommandForm(#"{a:3}{b:u8}{c:i16be}{xor hex 2..-2}{pause}"#)])
    let text = Self.text(status)
    #expect(text.contains(#""as": "digits", "low": 0, "high": 999, "decimals": 0, "width": 3"#))
    #expect(text.contains(#""as": "u8", "low": 0, "high": 255"#))
    #expect(text.contains(#""as": "i16be", "low": -32768, "high": 32767"#))
    #expect(
      text.contains(#"{"checksum": "xor", "hexadecimal": true, "first": 2, "last": -2}]}"#))
  }
}
