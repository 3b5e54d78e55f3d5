import Aim
import Devices
import Engine
import Foundation
import Sketches
import TestSupport
import Testing
import Traces

@testable import Pages

@Suite struct PageRigTests {
  private static func ask(_ playground: inout Playground, _ request: String) -> PageAnswer {
    playground.answer(Array("rig \(request)".utf8))
  }

  private static func state(_ answer: PageAnswer) throws -> [String: Any] {
    let text = String(decoding: answer.bytes, as: UTF8.self)
    #expect(answer.kind == .result, "\(text)")
    let object = try JSONSerialization.jsonObject(with: Data(answer.bytes))
    return try #require(object as? [String: Any])
  }

  /// Runs the page's rig for some seconds in frames of 10 ms, with a face that jumps to 108 degrees
  /// after three.
  private static func states(_ settings: String, seconds: Int = 8) throws -> [[String: Any]] {
    var playground = Playground()
    return try (0..<seconds * 100).map { frame in
      try state(ask(&playground, "10000 \(frame < 300 ? 90 : 108) 1.5 \(settings)"))
    }
  }

  private static func shafts(_ states: some Sequence<[String: Any]>) -> [Double] {
    states.compactMap { $0["shaft"] as? Double }
  }

  @Test(arguments: ["100 2.5 follow sg90", "250 2.5 plain sg90", "60 0 follow mg996r"])
  func `The page's rig does what a session of the rig does`(_ settings: String) throws {
    let states = try Self.states(settings)
    var plan = try PageRigRequest("begin 90 1.5 \(settings)").settings.plan
    plan.length = .seconds(8)
    let path = FacePath(
      from: 90, at: 1.5,
      [.init(.stand, lasting: .seconds(3)), .init(.step(to: 108), lasting: .seconds(5))],
      random: RandomStream(seed: 1, stream: 0))
    plan.scene.faces = [Scene.Face(path)]
    var rig = Rig(plan, try SessionSketch(.guarded).drive(on: ModelSource()))
    var events: [Event] = []
    rig.begin { events.append($0) }
    try rig.track { events.append($0) }
    rig.finish { events.append($0) }

    var (commanded, shaft): (Int?, Double) = (nil, 90)
    var rest = events[...]
    for (index, state) in states.enumerated() {
      let now = Instant.zero + .milliseconds(Int64(index + 1) * 10)
      #expect(state["now"] as? Int == Int(now.nanoseconds / 1_000))
      while let event = rest.first, event.time <= now {
        rest.removeFirst()
        switch event.kind {
        case .output(.servo(let degrees, _, nil)): commanded = Int(degrees)
        case .shaft(let degrees, _): shaft = degrees
        default: break
        }
      }
      #expect(state["commanded"] as? Int == commanded, "at \(now)")
      // An event shows a shaft that has moved by 0.02 degrees.
      #expect(abs(try #require(state["shaft"] as? Double) - shaft) < 0.04, "at \(now)")
    }
    let rate = try #require(states.last?["rate"] as? Double)
    #expect(rig.commandCount > 1 && abs(rate * 8 - Double(rig.commandCount)) < 0.1)
  }

  @Test func `A program that allows for the delay settles on a face that has jumped`() throws {
    let states = try Self.states("100 2.5 follow sg90")
    #expect(Self.shafts(states[400...]).allSatisfy { abs($0 - 108) <= 3 })
    #expect(Self.shafts(states).max()! < 108 + 5)
    #expect(states.last?["onTarget"] as? Double ?? 0 > 0.9)
  }

  @Test func `A program that takes old pictures for the present swings around the face`() throws {
    let states = try Self.states("250 2.5 plain sg90", seconds: 12)
    let last = Self.shafts(states[800...])
    #expect(last.max()! - last.min()! > 20)
    #expect(last.contains { $0 > 110 } && last.contains { $0 < 106 })
    #expect(states.last?["onTarget"] as? Double ?? 1 < 0.5)
  }

  @Test func `The picture shows the face as late as the delay says`() throws {
    let states = try Self.states("400 2.5 follow sg90", seconds: 4)
    func side(_ state: [String: Any]) -> Double? {
      let box = (state["box"] as? [Any])?.compactMap { $0 as? Double }
      return box.map { $0[0] + $0[2] / 2 - 0.5 }
    }
    #expect(states[30]["box"] is NSNull && states[30]["age"] is NSNull)
    #expect(states[290...338].allSatisfy { abs(side($0) ?? 1) < 0.02 })
    #expect(states[345...360].allSatisfy { side($0) ?? 0 > 0.2 })
    #expect(states[300...].allSatisfy { (390...460).contains($0["age"] as? Int ?? 0) })
  }

  @Test func `A change of a setting begins a session, and so does the request to begin one`() throws
  {
    var playground = Playground()
    func now(_ request: String) throws -> Int? {
      try Self.state(Self.ask(&playground, request))["now"] as? Int
    }
    #expect(try now("10000 90 1.5 100 2.5 follow sg90") == 10_000)
    #expect(try now("10000 120 2 100 2.5 follow sg90") == 20_000)
    for changed in [
      "200 2.5 follow sg90", "200 3 follow sg90", "200 3 plain sg90", "200 3 plain mg996r",
    ] {
      #expect(try now("5000 90 1.5 \(changed)") == 5_000)
      #expect(try now("5000 90 1.5 \(changed)") == 10_000)
    }
    #expect(try now("begin 90 1.5 200 3 plain mg996r") == 0)
  }

  @Test(arguments: [
    "", "10000", "10000 90 1.5 100 2.5 follow", "x 90 1.5 100 2.5 follow sg90",
    "10000 nan 1.5 100 2.5 follow sg90", "10000 90 inf 100 2.5 follow sg90",
    "10000 90 1.5 100 2.5 chase sg90", "10000 90 1.5 100 2.5 follow sg91",
  ])
  func `A request that makes no sense has a message`(_ request: String) {
    var playground = Playground()
    let answer = Self.ask(&playground, request)
    #expect(answer.kind == .failure)
    #expect(String(decoding: answer.bytes, as: UTF8.self).hasPrefix("expected after rig: "))
  }

  @Test func `Nothing traps, wherever the pointer goes`() throws {
    var random = SeededGenerator(seed: Seeds.start)
    var playground = Playground()
    let numbers = [
      "0", "90", "180", "-1", "1e300", "-1e300", "0.0000001", "9223372036854775807",
    ]
    let settings = [
      "100 2.5 follow sg90", "400 0 plain mg996r", "1e9 -3 follow mg90s", "0 99 plain sg90",
    ]
    for round in 0..<600 {
      func any() -> String { numbers.randomElement(using: &random)! }
      let interval = round % 50 == 0 ? any() : "\(Int.random(in: 0...250_000, using: &random))"
      let place =
        round % 3 == 0
        ? "\(any()) \(any())" : "\(Double.random(in: 0...180, using: &random)) 1.2"
      let isNumber = Int64(interval) != nil
      let answer = Self.ask(&playground, "\(interval) \(place) \(settings[round / 60 % 4])")
      #expect(answer.kind == (isNumber ? .result : .failure), "seed \(Seeds.start), round \(round)")
      guard isNumber else { continue }
      let shaft = try #require(try Self.state(answer)["shaft"] as? Double)
      #expect((-30...210).contains(shaft), "seed \(Seeds.start), round \(round)")
    }
  }

  @Test func `The share on target is that of the last ten seconds`() {
    var tracking = RecentTracking()
    func pass(_ seconds: Double, error: Double) {
      for _ in 0..<Int(seconds * 200) { tracking.note(error: error) }
    }
    pass(1, error: 0)
    #expect(tracking.share == nil)
    tracking.noteCommand(at: tracking.next)
    // It counts from half a second after the first command.
    pass(0.5, error: 3.1)
    #expect(tracking.share == nil)
    pass(4, error: -3)
    pass(4, error: -3.1)
    #expect(tracking.share == 0.5)
    pass(6, error: 3.1)
    #expect(tracking.share == 0)
    #expect(tracking.commandsPerSecond == 0)
    tracking.noteCommand(at: tracking.next)
    tracking.noteCommand(at: tracking.next)
    #expect(tracking.commandsPerSecond == 0.2)
  }
}
