import Aim
import Devices
import Judging
import Sketches
import Testing
import Traces

@testable import Engine

/// Rigs whose turret has a second servo, which tilts it.
struct TiltingRigTests {
  private static let faces = """
    "faces": [{"start": 96, "tilt": 84, "path": [{"stand": "3s"},
      {"step": 108, "tilt": 76, "for": "4s"}, {"ramp": 90, "tilt": 95, "speed": 10},
      {"stand": "2s"}]}]
    """
  private static let aim = #""aim": {"command": "P{pan},{tilt}\\n"}"#
  private static let turret = #""camera": {"mount": "turret", "delay": "100ms ± 10ms"}"#
  private static let scene = #"{\#(faces), \#(turret), "tilt": "D10", \#(aim)}"#

  private static func events(
    _ file: RigFile
  ) throws -> (events: [Event], rig: Rig<TwoServoBoard>) {
    var rig = Rig(file.plan, TwoServoBoard.start())
    var events: [Event] = []
    rig.begin { events.append($0) }
    try rig.track { events.append($0) }
    rig.finish { events.append($0) }
    return (events, rig)
  }

  private static func figures(_ text: String) throws -> TrackingFigures {
    let file = try RigTests.file(text)
    let (events, rig) = try events(file)
    #expect(file.aimRemarks == [] && rig.remarks == [], "\(file.aimRemarks) \(rig.remarks)")
    var record = TrackingRecord(view: file.stated.view)
    for event in events { record.take(event) }
    return try #require(record.figures(at: rig.end, commands: rig.commandCount))
  }

  @Test(arguments: ["turret", "fixed"])
  func `The turret follows a face up and down`(_ mount: String) throws {
    let text = Self.scene.replacing("turret", with: mount)
    let figures = try Self.figures(text)
    try #require(figures.axes.count == 2)
    for axis in figures.axes {
      #expect(axis.share(within: 3)! > 0.9 && axis.steps.count == 1 && axis.overshoot! < 4)
    }
    #expect(figures.share(within: 3)! > 0.85)
    #expect(figures.steps.map { $0.axis } == [.pan, .tilt])
    #expect(figures.steps.map { $0.from } == [96, 84] && figures.steps.map { $0.to } == [108, 76])
  }

  @Test func `Both ways are reported in order of time, that in the second axis with its pin`()
    throws
  {
    let events = try Self.events(try RigTests.file(Self.scene)).events
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    var truths: [BoardPin?: [Double]] = [:]
    var shafts: [BoardPin?: [Double]] = [:]
    for event in events {
      switch event.kind {
      case .truth(let degrees?, let pin): truths[pin, default: []].append(degrees)
      case .shaft(let degrees, let pin): shafts[pin, default: []].append(degrees)
      default: break
      }
    }
    #expect(Set(truths.keys) == [nil, TwoServoBoard.tilt] && Set(shafts.keys) == Set(truths.keys))
    #expect(truths[nil]?.last == 90 && truths[TwoServoBoard.tilt]?.last == 95)
    #expect(abs(try #require(shafts[TwoServoBoard.tilt]?.last) - 95) < 3)
    #expect(shafts.values.allSatisfy { $0.first == 90 })
  }

  @Test func `A turret with one servo reports where the face is without a pin`() throws {
    let file = try RigTests.file(#"{\#(Self.faces), \#(Self.turret)}"#)
    let (events, rig) = try RigTests.events(file)
    #expect(
      !events.contains { event in
        switch event.kind {
        case .truth(_, _?), .shaft(_, _?): true
        default: false
        }
      })
    // It sees the face, since that is not much higher.
    #expect(rig.remarks == [] && file.aimRemarks == [] && file.stated.view?.tilt == nil)
  }

  @Test(arguments: [
    (
      "", "fixed",
      "No picture shows the face: the fixed camera sees 60° to 120°, and tilts of "
        + "66.6° to 113.4°."
    ),
    (
      "", "turret",
      "No picture shows the face: the camera on the turret, which begins at 90°, sees "
        + "60° to 120°, and tilts of 66.6° to 113.4°. It does not tilt: state the pin of the servo "
        + "that tilts it, for example tilt: D10."
    ),
    (
      #", "tilt": "D10""#, "turret",
      "No picture shows the face: the camera on the turret, which "
        + "begins at 90°, sees 60° to 120°, and tilts of 66.6° to 113.4°."
    ),
    (
      #", "tilt": "D10""#, "fixed",
      "No picture shows the face: the fixed camera sees 60° to 120°, "
        + "and tilts of 66.6° to 113.4°."
    ),
  ])
  func `A face above the picture is named`(
    _ tilt: String, _ mount: String, _ expected: String
  ) throws {
    let file = try RigTests.file(
      #"{"length": "3s", "faces": [{"tilt": 50}], "camera": {"mount": "\#(mount)"}\#(tilt), "#
        + "\(Self.aim)}")
    #expect(try Self.events(file).rig.remarks == [expected])
  }

  @Test(arguments: [
    (#""tilt": "D10""#, "", "The command with which the bench aims has no {tilt}, so the turret "),
    (
      #""faces": [{"tilt": 80}], "camera": {"mount": "turret"}"#, aim, "The bench aims with a {tilt"
    ),
    (#""camera": {"mount": "turret"}"#, aim, nil), (#""faces": [{"tilt": 80}]"#, aim, nil),
    (#""tilt": "D10""#, aim, nil),
  ])
  func `A command and a turret of which only one tilts are named`(
    _ rest: String, _ aim: String, _ expected: String?
  ) throws {
    let faces = rest.contains("faces") ? "" : #", "faces": [{}]"#
    let file = try RigTests.file("{\(rest)\(faces)\(aim.isEmpty ? "" : ", " + aim)}")
    #expect(file.aimRemarks.count == (expected == nil ? 0 : 1))
    if let expected { #expect(file.aimRemarks[0].hasPrefix(expected)) }
  }

  @Test func `The servo that a profile names as tilt tilts the turret`() throws {
    var file = try RigTests.file(#"{\#(Self.faces), \#(Self.turret), "servo": "mg90s"}"#)
    var profile = Profile(
      name: "turret", commands: [try CommandForm(#"P{pan:0..180},{tilt:0..180}\n"#)])
    profile.servos = [.init("pan", .usualServo), .init("tilt", TwoServoBoard.tilt)]
    try file.adopt(.own(profile))
    #expect(file.plan.servos.tilt == TwoServoBoard.tilt)
    #expect(file.plan.servos.others == [TwoServoBoard.tilt: .mg90s])
    #expect(file.stated.view == CameraView(-30...30, tilt: -23.41...23.41))
    #expect(file.aimRemarks == [])
    // Another one is stated.
    file = try RigTests.file(
      #"{\#(Self.faces), "tilt": "D6", "servos": {"D6": "mg996r"}, \#(Self.aim)}"#)
    try file.adopt(.own(profile))
    #expect(file.plan.servos.tilt == BoardPin(arduino: 6))
    #expect(file.plan.servos.others == [try #require(BoardPin(arduino: 6)): .mg996r])
  }

  @Test func `The servo that pans cannot tilt, too`() throws {
    let plan = try RigTests.file(#"{"faces": [{}], "tilt": "D9"}"#).plan.servos
    #expect(plan.refusal(ofTiltBeside: .usualServo)?.hasPrefix("D9 is the pin of the") == true)
    #expect(plan.refusal(ofTiltBeside: TwoServoBoard.tilt) == nil)
  }

  @Test(arguments: [
    (#""tilt": "10 degrees""#, "the pin of the servo that tilts the turret, for example D10"),
    (#""tilt": true"#, "the pin of the servo that tilts the turret, for example D10"),
    (
      #""servos": {"pan": "D9", "tilt": "D10"}"#,
      "expected no \"tilt\" under servos: the pin of the"
    ),
    (#""faces": [{"tilt": 200}]"#, "a tilt from 10 to 170: 90 is as high as the turret, 80 higher"),
    (#""faces": [{"path": [{"stand": "1s", "tilt": "up"}]}]"#, "a tilt from 10 to 170"),
    (#""faces": [{"path": [{"tilt": 80, "for": "1s"}]}]"#, "expected one of stand"),
    (
      #""faces": [{"path": [{"angles": [[0, 90, 80], [1, 91]]}]}]"#, "a list of seconds and degrees"
    ),
    (
      #""faces": [{"path": [{"angles": [[0, 90, 80], [1, 91, 82]], "tilt": 80}]}]"#,
      "expected no \"tilt\" next to \"angles\""
    ),
    (#""camera": {"tilt": "D10"}"#, "expected no \"tilt\" under camera: the pin of the"),
  ])
  func `What makes no sense is refused`(_ rest: String, _ expected: String) {
    let faces = rest.contains("faces") ? "" : #", "faces": [{}]"#
    do {
      _ = try RigTests.file("{\(rest)\(faces)}")
      Issue.record("it was read")
    } catch {
      let message = (error as? NotationError)?.message ?? "\(error)"
      #expect(message.contains(expected), "\(message)")
    }
  }
}
