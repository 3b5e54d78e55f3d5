import Aim
import Devices
import Judging
import Sketches
import Testing
import Traces

@testable import Engine

struct RigTests {
  static let scene = """
    {"length": "12s",
     "faces": [{"start": 90, "path": [{"stand": "3s"}, {"step": 108, "for": "4s"},
       {"ramp": 80, "speed": 10}, {"stand": "2s"}]}],
     "camera": {"mount": "turret", "delay": "100ms ± 10ms", "rate": 30},
     "detector": {"noise": "1px"},
     "aim": {"mapping": "fov", "follow": "yes", "mount": "turret"},
     "servo": "sg90"}
    """

  static func file(_ text: String = scene) throws -> RigFile {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rig")
    return try RigParser(path: "rig.yaml").rig(Notation(value))
  }

  /// Runs a rig on the model, and returns the events of its session.
  static func events(_ file: RigFile) throws -> (events: [Event], rig: Rig<Model>) {
    var stated = file.stated
    stated.showsPulses = true
    let start = try SessionPlan(stated, on: ModelSource()).begin(on: ModelSource())
    var rig = Rig(file.plan, start)
    var events: [Event] = []
    rig.begin { events.append($0) }
    try rig.track { events.append($0) }
    rig.finish { events.append($0) }
    return (events, rig)
  }

  static func figures(_ file: RigFile) throws -> TrackingFigures {
    let (events, rig) = try events(file)
    var record = TrackingRecord()
    for event in events { record.take(event) }
    return try #require(record.figures(at: rig.end, commands: rig.commandCount))
  }

  @Test func `The turret follows the face`() throws {
    let figures = try Self.figures(try Self.file())
    #expect(figures.share(within: 3)! > 0.9)
    #expect(figures.steps.count == 1 && figures.overshoot! < 5)
    #expect(figures.commands > 10)
  }

  @Test func `The turret is at a face that has jumped by 7 degrees as soon as at any other`() throws
  {
    let text = Self.scene.replacing("\"step\": 108", with: "\"step\": 97")
    let figures = try Self.figures(try Self.file(text))
    #expect(figures.overshoot! < 3)
    #expect(try #require(figures.settling(within: 3)!) < .milliseconds(400))
  }

  @Test func `The same seed gives the same session, and another one another`() throws {
    var file = try Self.file()
    let first = try Self.events(file).events
    #expect(try Self.events(file).events == first)
    file.plan.seed = 2
    #expect(try Self.events(file).events != first)
  }

  @Test(arguments: [nil, "4xAA:resistance=4"])
  func `Events are in order of time`(_ supply: String?) throws {
    var file = try Self.file()
    file.plan.servos.own = .mg996r
    file.plan.servos.supply = try supply.map { try Supply.parse($0) }
    let events = try Self.events(file).events
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(events.contains { if case .shaft = $0.kind { true } else { false } })
    #expect(events.contains { if case .truth = $0.kind { true } else { false } })
  }

  @Test func `The session's inputs lead to the same outputs without the rig`() throws {
    var file = try Self.file()
    file.plan.servos.supply = try Supply.parse("4xAA")
    file.plan.servos.own = .mg996r
    file.plan.servos.others[try #require(BoardPin(arduino: 10))] = .mg996r
    let (events, rig) = try Self.events(file)
    let header = Header(firmware: .guarded, baud: 9_600, duration: nil, title: nil)
    let device = Model(.guarded, for: header, showsPulses: true)
    var replay = Replay(device, until: rig.end, kinds: device.capabilities.observes)
    var again: [Event] = []
    for event in events where event.output == nil { replay.take(event) { again.append($0) } }
    replay.finish(after: rig.end) { again.append($0) }
    #expect(again.compactMap { $0.output } == events.compactMap { $0.output })
  }

  @Test func `A delay that is not allowed for lets a camera on the turret overshoot`() throws {
    var plain = try Self.file()
    plain.plan.aim.follow = FollowOptions()
    plain.plan.aim.follow?.mount = .turret
    let follow = try Self.figures(try Self.file())
    let figures = try Self.figures(plain)
    #expect(figures.share(within: 3)! < follow.share(within: 3)!)
    #expect(figures.overshoot! > 3 * follow.overshoot!)
  }

  @Test func `A supply that is too weak restarts the board, and what was sent then is lost`() throws
  {
    var file = try Self.file()
    file.plan.servos.own = .mg996r
    file.plan.servos.supply = try Supply.parse("4xAA:resistance=4")
    let (events, _) = try Self.events(file)
    let strikes = events.compactMap { event -> FaultStrike? in
      if case .fault(let strike) = event.kind { strike } else { nil }
    }
    #expect(strikes.contains { $0.kind == .brownOut && $0.place == .supply })
    let restarts = events.compactMap { event in
      if case .reset(let time) = event.kind { time } else { nil }
    }
    #expect(restarts.contains { $0 >= .milliseconds(65) && $0 < .milliseconds(100) })
    // The program opens the port again, a second after the adapter had power again.
    #expect(restarts.contains(.seconds(1)))
    let back = try #require(events.first { $0.kind == .mark(PowerFailure.reopening) }).time
    let lost = events.compactMap { event in
      if case .fault(let strike) = event.kind, !strike.took.isEmpty { event.time } else { nil }
    }
    #expect(lost.contains { $0 < back } && !lost.contains { $0 > back && $0 < back + .seconds(1) })
    #expect(
      events.contains {
        if case .mark(let text) = $0.kind { text.contains("mg996r") } else { false }
      })
    // With a supply of its own, the same servo does nothing to the board.
    file.plan.servos.supply = try Supply.parse("bec5V3A:apart")
    #expect(
      !(try Self.events(file).events.contains { if case .reset = $0.kind { true } else { false } }))
  }

  @Test func `A board whose supply stays too low sends no pulse and gets no byte`() throws {
    var file = try Self.file()
    file.plan.servos.supply = try Supply.parse("usb:resistance=60")
    let (events, rig) = try Self.events(file)
    // It was never told to start: the rail is too low in the first millisecond.
    #expect(!events.contains { $0.output != nil && $0.time > .zero + .milliseconds(10) })
    #expect(!events.contains { if case .receive = $0.kind { true } else { false } })
    let lost = events.count { event in
      if case .fault(let strike) = event.kind { !strike.took.isEmpty } else { false }
    }
    #expect(rig.commandCount > 0 && lost == rig.commandCount)
  }

  @Test func `A board is held in reset until its supply is high enough, and 65 ms more`() throws {
    var file = try Self.file()
    file.plan.servos.own = .mg996r
    file.plan.servos.supply = try Supply.parse("4xAA:resistance=4")
    let (events, _) = try Self.events(file)
    let holds = events.compactMap { event -> (begin: Instant, end: Instant)? in
      if case .reset(let time) = event.kind { (event.time, event.time + time) } else { nil }
    }
    #expect(!holds.isEmpty)
    for hold in holds {
      #expect(
        !events.contains { $0.output?.kind == .pulse && $0.time > hold.begin && $0.time < hold.end }
      )
    }
    #expect(
      holds.contains {
        $0.end - $0.begin > .milliseconds(67) && $0.end - $0.begin < .milliseconds(500)
      })
  }

  @Test(arguments: [
    ("usb:resistance=60", "gives 1.64 V with all servos at rest, so the board is always held"),
    ("usb:resistance=38", "gives 2.87 V with all servos at rest, so the board's adapter is always"),
    ("9V:voltage=6,resistance=50", "for example bec5V3A:apart"),
  ])
  func `A supply on which the board can never run is refused where it is stated`(
    _ supply: String, _ expected: String
  ) throws {
    let begin = Notation.Place(line: 1, column: 1)
    let document = Notation.mapping(
      [
        .init("faces", at: begin, .list([.mapping([], begin)], begin)),
        .init("supply", at: begin, .text(supply, .init(line: 2, column: 9))),
      ], begin)
    let error = #expect(throws: NotationError.self) {
      try RigParser(path: "rig.yaml").rig(document)
    }
    #expect(error?.place.line == 2 && error?.place.column == 9)
    #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
    // The servos can have such a supply alone.
    if !supply.hasPrefix("9V") {
      _ = try Self.file(#"{"faces": [{}], "supply": "\#(supply),apart"}"#)
    }
  }

  /// The bytes that are sent to a face that stands at 100 degrees.
  private static func sent(_ aim: String, _ change: (inout RigFile) throws -> Void = { _ in })
    throws -> String
  {
    var file = try file(
      #"{"length": "2s", "faces": [{"start": 100}], "aim": {"mapping": "fov"\#(aim)}}"#)
    try change(&file)
    let bytes = try events(file).events.flatMap { event -> [UInt8] in
      if case .receive(let bytes) = event.kind { bytes } else { [] }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      ("", "X100."), (#", "command": "P{pan},{tilt}\\n""#, "P100,90\n"),
      (#", "command": "P{pan},{tilt}\\n", "pan": "60..95", "tilt": "30..80°""#, "P95,80\n"),
      (#", "fire": "F", "fire-when": "on target for 300ms""#, "X100.F"),
      (#", "pan": "60..95", "fire": "F", "fire-when": "on target for 300ms""#, "X95."),
    ])
  func `The bench sends a sketch's own commands`(aim: String, sent: String) throws {
    #expect(try Self.sent(aim) == sent)
  }

  @Test func `A profile states the commands, unless the options of aim do`() throws {
    let profile = Profile(
      name: "turret", commands: [try CommandForm(#"P{pan:0..180}\n"#), try CommandForm("X{pan:3}")])
    func adopt(_ file: inout RigFile) throws { try file.adopt(.own(profile)) }
    #expect(try Self.sent("", adopt) == "P100\n")
    #expect(try Self.sent(#", "command": "X{pan:3}""#, adopt) == "X100")
    #expect(try Self.sent(#", "command": "X{pan}.""#, adopt) == "X100.")
    let file = try Self.file(#"{"faces": [{}], "profile": "turret.yaml"}"#)
    #expect(file.profile == .file("turret.yaml"))
  }

  @Test func `A program that tracks gets each picture after its delay`() throws {
    var file = try Self.file()
    file.plan.scene.camera.jitter = .zero
    var stated = file.stated
    stated.showsPulses = true
    var rig = Rig(file.plan, try SessionPlan(stated, on: ModelSource()).begin(on: ModelSource()))
    rig.begin { _ in }
    var times: [Double] = []
    while let frame = rig.nextFrame({ _ in }) { times.append(frame.time) }
    // The first picture shows the scene at 33.3 ms, is exposed for 5 ms more, and takes 100 ms.
    #expect(abs(times[0] - 0.138_333_333) < 1e-6)
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.033_333_333) < 1e-6 })
    #expect(times.count == 356)
  }

  /// A face that stands, and steps aside.
  private static let steps =
    #""faces": [{"start": 100, "path": [{"stand": "3s"}, {"step": 80, "for": "4s"}]}]"#

  @Test(arguments: [
    "", #", "camera": {"mount": "turret"}"#, #", "camera": {"mount": "turret", "delay": "200ms"}"#,
    #", "camera": {"delay": "40ms"}, "aim": {"command": "X{pan}."}"#,
    #", "camera": {"mount": "turret"}, "servo": "mg996r""#,
    #", "camera": {"mount": "turret"}, "aim": {"mount": "turret", "follow": "yes"}"#,
  ])
  func `A scene that states little is followed well`(_ rest: String) throws {
    let file = try Self.file("{\(Self.steps)\(rest)}")
    let (_, rig) = try Self.events(file)
    #expect(file.aimRemarks == [] && rig.remarks == [])
    let figures = try Self.figures(file)
    #expect(figures.share(within: 3)! > 0.85 && figures.overshoot! < 4)
  }

  @Test func `The aim takes the camera's place and delay from the camera`() throws {
    func follow(_ rest: String) throws -> FollowOptions? {
      try Self.file(#"{"faces": [{}]\#(rest)}"#).plan.aim.follow
    }
    var usual = FollowOptions.usual
    usual.age = 0.08
    #expect(try follow("") == usual)
    (usual.mount, usual.age) = (.turret, 0.2)
    let turret = #", "camera": {"mount": "turret", "delay": "200ms ± 10ms"}"#
    #expect(try follow(turret) == usual)
    #expect(try follow(turret + #", "aim": {"command": "X{pan}."}"#) == usual)
    usual.age = 0.15
    #expect(try follow(turret + #", "aim": {"follow": "yes", "age": "150ms"}"#) == usual)
    // Without it, the turret turns to where the picture shows the face.
    #expect(try follow(#", "aim": {"follow": "no"}"#) == nil)
    #expect(try follow(#", "aim": {"mapping": "linear"}"#) == nil)
    var plain = FollowOptions()
    plain.mount = .turret
    #expect(try follow(turret + #", "aim": {"follow": "no"}"#) == plain)
    // Who states a part of how to follow states all of it.
    #expect(try follow(turret + #", "aim": {"mount": "turret"}"#) == plain)
    plain.deadZone = 2
    #expect(try follow(turret + #", "aim": {"dead-zone": 2}"#) == plain)
  }

  @Test(arguments: [
    (#""camera": {"mount": "turret"}, "aim": {"mount": "fixed"}"#, "aim states mount: fixed, but "),
    (#""aim": {"mount": "turret"}"#, "aim states mount: turret, but the camera's mount is fixed, "),
    (#""camera": {"look": "80°"}"#, "The camera looks 10° to the left (look), which the "),
    (#""camera": {"look": 95}, "aim": {"follow": "no"}"#, "The camera looks 5° to the right (look"),
  ])
  func `What aim takes for granted and the scene has otherwise is said`(
    _ rest: String, _ expected: String
  ) throws {
    let remarks = try Self.file(#"{"faces": [{}], \#(rest)}"#).aimRemarks
    #expect(remarks.count == 1 && remarks[0].hasPrefix(expected), "\(remarks)")
  }

  @Test(arguments: [
    (#""start": 150"#, "", "No picture shows the face: the fixed camera sees 60° to 120°."),
    (
      // Without a command for a lost face, the turret does not look for it.
      #""start": 150"#,
      #", "camera": {"mount": "turret", "fov": 45}, "aim": {"command": "X{pan}."}"#,
      "No picture shows the face: the camera on the turret, which begins at 90°, sees 67.5° to "
        + "112.5°."
    ),
    (
      #""path": [{"stand": "3s"}, {"step": 150, "for": "3s"}]"#, "",
      "90 of 180 pictures do not show the face: the fixed camera sees 60° to 120°."
    ),
    (#""path": [{"stand": "6s"}, {"step": 150, "for": "500ms"}]"#, "", nil),
    (#""path": [{"hide": "3s"}, {"stand": "1s"}]"#, "", nil),
  ])
  func `A face that pictures do not show is named`(
    _ face: String, _ rest: String, _ expected: String?
  ) throws {
    let (_, rig) = try Self.events(try Self.file(#"{"faces": [{\#(face)}]\#(rest)}"#))
    #expect(rig.remarks == (expected.map { [$0] } ?? []))
  }

  @Test(arguments: [
    (#"{"faces": []}"#, "1 to 100 faces"), ("{}", "\"faces\""),
    (#"{"faces": [{}], "aim": {"command": "P{pan"}}"#, "at character 2 of"),
    (#"{"faces": [{}], "aim": {"fire": "F"}}"#, "\"fire\" and \"fire-when\" require each other"),
    (#"{"faces": [{}], "aim": {"pan": "10..190"}}"#, "angles from 0 to 180, for example 10..170"),
    (#"{"faces": [{"start": 200}]}"#, "an angle from 0 to 180"),
    (#"{"faces": [{"pth": []}]}"#, "did you mean \"path\"?"),
    (#"{"faces": [{"path": [{"step": 90}]}]}"#, "requires \"for\""),
    (#"{"faces": [{"path": [{"stand": "1s", "sine": 4}]}]}"#, "expected one of stand"),
    (#"{"faces": [{"path": [{"sine": 4, "for": "1s"}]}]}"#, "requires \"period\""),
    (#"{"faces": [{"path": [{"angles": [[0, 90], [0, 91]]}]}]}"#, "times that increase"),
    (#"{"faces": [{}], "camera": {"fov": 180}}"#, "a horizontal field of view"),
    (#"{"faces": [{}], "camera": {"delay": "10ms ± 20ms"}}"#, "a spread of at most the delay"),
    (#"{"faces": [{}], "camera": {"size": "640"}}"#, "a size in pixels"),
    (#"{"faces": [{}], "servo": "sg91"}"#, "one of sg90"),
    (#"{"faces": [{}], "servos": {"P1": "sg90"}}"#, "a pin"),
    (#"{"faces": [{}], "supply": "3xAA"}"#, "4xAA"),
    (#"{"faces": [{}], "aim": {"gain": 2}}"#, "0.01 to 1"),
    (#"{"faces": [{}], "length": "0s"}"#, "more than 0 s"),
    (#"{"faces": [{}], "expect": [{"track": "3°", "for": "200%"}]}"#, "a part of the time"),
  ])
  func `A scene that makes no sense is refused`(_ text: String, _ expected: String) {
    do {
      _ = try Self.file(text)
      Issue.record("it was read")
    } catch {
      let message = (error as? NotationError)?.message ?? "\(error)"
      #expect(message.contains(expected), "\(message)")
    }
  }

  @Test func `A value is replaced by its path`() throws {
    let value = try JSONValue.contents(of: Array(Self.scene.utf8), path: "rig")
    let parser = RigParser(path: "rig.yaml")
    let changed = try #require(Notation(value).replacing(["camera", "delay"], by: "40ms"))
    #expect(try parser.rig(changed).plan.scene.camera.delay == .milliseconds(40))
    let added = try #require(Notation(value).replacing(["link", "delay"], by: "5ms"))
    #expect(try parser.rig(added).plan.linkDelay == .milliseconds(5))
    #expect(Notation(value).replacing(["length", "delay"], by: "5ms") == nil)
  }
}
