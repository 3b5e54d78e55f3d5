import AVR
import ChipDevice
import Devices
import Foundation
import Sketches
import Testing
import Traces

@testable import Engine
@testable import Judging

/// What is filled in where nothing is stated.
@Suite struct SessionPlanTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..")

  /// Returns the program of `guarded` in a file of that name.
  private static func program(_ name: String) throws -> AVRSource {
    let hex = try Data(contentsOf: root.appending(path: "firmware/guarded/guarded.hex"))
    return AVRSource(AVRProgram(try ProgramImage(contents: Array(hex), name: name), name: name))
  }

  private static func header(_ members: String = "") throws -> Header {
    let text = "{\"format\": \"sentry-trace\", \"version\": 1\(members)}\n"
    return try TraceReader(text: Array(text.utf8), path: "a.jsonl").header
  }

  private static func scenario(_ baud: Int?) -> Scenario {
    Scenario(
      name: "from a scenario", place: .init(), firmware: .buzzer, baud: baud, sender: .bytes([]),
      rules: [])
  }

  @Test func `A sketch is what is stated first of profile, firmware, program and trace`() throws {
    let mine = try Self.program("mine.hex")
    let ours = try Self.program("guarded.hex")
    let own = Profile(name: "own", commands: [try CommandForm("F")])
    let undescribed = Profile(undescribed: "mine")
    let header = try Self.header(#", "firmware": "classic""#)
    let cases: [(any DeviceSource, Firmware?, ProfileChoice?, Header?, SessionSketch)] = [
      (mine, nil, nil, nil, SessionSketch(.guarded, undescribed)),
      (mine, nil, .bytes, nil, SessionSketch(.guarded, undescribed)),
      (mine, .classic, nil, nil, SessionSketch(.classic)),
      (mine, .classic, .own(own), nil, SessionSketch(.classic, own)),
      (mine, nil, .ours(.buzzer), nil, SessionSketch(.buzzer)),
      (mine, nil, nil, header, SessionSketch(.guarded, undescribed)),
      (ours, nil, nil, header, SessionSketch(.guarded)),
      (ModelSource(), nil, nil, header, SessionSketch(.classic)),
      (ModelSource(), nil, nil, nil, SessionSketch(.guarded)),
      (ModelSource(), nil, .bytes, nil, SessionSketch(.guarded)),
    ]
    for (source, firmware, choice, header, sketch) in cases {
      var stated = StatedSession()
      stated.firmware = firmware
      stated.profile = choice
      if let header { try stated.add(header, in: "a.jsonl") }
      #expect(SessionSketch(stated, on: source) == sketch)
    }
    // A network accepts the commands of the sketch that a program behaves as.
    #expect(SessionSketch(.guarded, undescribed).accepted(nil, on: mine) == .ours(.guarded))
    #expect(SessionSketch(.guarded, own).accepted(nil, on: mine) == .own(own))
    #expect(SessionSketch(.guarded).accepted(nil, on: mine) == nil)
    #expect(SessionSketch(.guarded, undescribed).accepted(.bytes, on: mine) == .bytes)
  }

  @Test(arguments: [
    (1_200, 2_400, 4_800, 9_600, 1_200), (nil, 2_400, 4_800, 19_200, 2_400),
    (nil, nil, 4_800, 19_200, 4_800), (nil, nil, nil, 19_200, 19_200), (nil, nil, nil, nil, 9_600),
  ])
  func `A speed is what is stated first of option, trace, scenario and profile`(
    option: Int?, trace: Int?, scenario: Int?, profile: Int?, expected: Int
  ) throws {
    var stated = StatedSession()
    stated.baud = option
    if let profile {
      var own = Profile(name: "own", commands: [try CommandForm("F")])
      own.baud = profile
      stated.profile = .own(own)
    }
    // In whatever order they are read.
    for readsTraceFirst in [true, false] {
      var stated = stated
      if !readsTraceFirst { stated.add(Self.scenario(scenario), nil) }
      if let trace { try stated.add(Self.header(", \"baud\": \(trace)"), in: "a.jsonl") }
      if readsTraceFirst { stated.add(Self.scenario(scenario), nil) }
      #expect(SessionPlan(stated, on: ModelSource()).baud == expected)
    }
  }

  @Test func `A program on the chip has the speed that it sets`() throws {
    #expect(SessionPlan(StatedSession(), on: try Self.program("mine.hex")).baud == 9_600)
  }

  @Test func `A title and a sketch are the stated ones, or the scenario's`() {
    var stated = StatedSession()
    stated.add(Self.scenario(nil), .ours(.guarded))
    #expect(stated.title == "from a scenario")
    #expect(SessionPlan(stated, on: ModelSource()).sketch == SessionSketch(.buzzer))
    stated = StatedSession()
    stated.title = "mine"
    stated.firmware = .classic
    stated.add(Self.scenario(nil), .ours(.guarded))
    #expect(stated.title == "mine")
    #expect(SessionPlan(stated, on: ModelSource()).sketch == SessionSketch(.classic))
  }

  @Test func `Pulses are shown if that is stated, or if a rule is about them`() throws {
    var stated = StatedSession()
    #expect(try !Self.kinds(stated).contains(.pulse))
    stated.showsPulses = true
    #expect(try Self.kinds(stated).contains(.pulse))
    stated.showsPulses = false
    stated.add([.strict])
    #expect(try !Self.kinds(stated).contains(.pulse))
    stated.add([Rule(.exactly([.pulse(1_000...2_000)]))])
    #expect(try Self.kinds(stated).contains(.pulse))
  }

  private static func kinds(_ stated: StatedSession) throws -> Set<Output.Kind> {
    try SessionPlan(stated, on: ModelSource()).begin(on: ModelSource()).setup.observes
  }

  @Test func `A session's header names what it runs, and the pins that it shows`() throws {
    let source = try Self.program("mine.hex")
    var own = Profile(name: "own", commands: [try CommandForm("F")])
    own.pins = [.init("fire", try #require(BoardPin(name: "D7")))]
    var stated = StatedSession()
    stated.title = "a title"
    stated.profile = .own(own)
    var plan = SessionPlan(stated, on: source)
    var start = try plan.begin(on: source, by: "a program")
    #expect(start.header.title == "a title")
    #expect(start.header.sketchName == "own")
    #expect("\(start.header.members)".contains("a program, \(source.name)"))
    #expect(start.header.pins == Set(own.pins.map { $0.pin }))
    plan.showsLevels = false
    start = try plan.begin(on: source)
    #expect(start.header.pins == [])
    #expect(!start.setup.observes.contains(.pin))
  }

  /// A source whose board is not connected.
  private struct Absence: DeviceSource {
    let code: DeviceError.Code

    var name: String { "absent" }
    func observes(_ firmware: Firmware) -> Set<Output.Kind> { [] }

    func makeDevice(
      for header: Header, firmware: Firmware, showsPulses: Bool
    ) throws(DeviceError) -> Model {
      throw DeviceError(code, "no board")
    }

    func absent(_ firmware: Firmware, baud: Int, for error: DeviceError) -> Model? {
      ModelSource().makeDevice(
        for: Header(firmware: firmware, baud: baud, duration: nil, title: nil), firmware: firmware,
        showsPulses: false)
    }
  }

  @Test(arguments: [
    (true, DeviceError.Code.unavailable, true), (false, .unavailable, false),
    (true, .crashed, false),
  ])
  func `A session begins without its board only if it awaits it`(
    awaitsBoard: Bool, code: DeviceError.Code, begins: Bool
  ) {
    let source = Absence(code: code)
    let plan = SessionPlan(StatedSession(), on: source)
    let start = try? plan.begin(on: source, awaitsBoard: awaitsBoard)
    #expect((start != nil) == begins)
  }
}
