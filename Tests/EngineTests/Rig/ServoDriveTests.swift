import Devices
import Sketches
import Testing
import Traces

@testable import Engine

/// The servos of a session as machines.
struct ServoDriveTests {
  @Test(arguments: [
    ("", "usb", ["The servo never got a pulse.", "The servo at D10 never got a pulse."]),
    ("- D10", "usb", []), ("-", "usb", ["The servo at D10 never got a pulse."]),
    (
      "- D10 D11", "usb",
      [
        "D11 got pulses, but the rig has no servo there: state it under servos, so that the supply "
          + "carries it."
      ]
    ),
    ("- D10 D11", nil, []),
  ])
  func `A servo without pulses, and pulses without a servo, are named`(
    _ pins: String, _ supply: String?, _ expected: [String]
  ) throws {
    var plan = ServoPlan(.sg90)
    plan.others[try #require(BoardPin(name: "D10"))] = .mg90s
    plan.supply = try supply.map { try Supply.parse($0) }
    var drive = ServoDrive(plan, seed: 1)
    for name in pins.split(separator: " ") {
      let pin = name == "-" ? nil : BoardPin(name: String(name))
      drive.take(Event(.zero, .output(.pulse(microseconds: 1_500, on: pin))))
    }
    #expect(drive.remarks == expected)
  }
}

/// A session whose supply fails, as `run --rig` drives it.
struct FailingSupplyTests {
  @Test func `An input that is taken before its failure is noticed keeps the order of time`() throws
  {
    var stated = StatedSession()
    stated.showsPulses = true
    var session = Session(try SessionPlan(stated, on: ModelSource()).begin(on: ModelSource()))
    var plan = ServoPlan(.mg996r)
    plan.supply = try Supply.parse("4xAA:resistance=4")
    session.drive = ServoDrive(plan, seed: 1)
    var events: [Event] = []
    session.begin([]) { events.append($0) }
    session.advance(to: .zero + .seconds(2)) { events.append($0) }
    // A live bench takes what has arrived first, and advances then.
    for index in 0..<200 as Range<Int64> {
      let now = Instant.zero + .seconds(2) + .microseconds(7_300 * index)
      session.take(.bytes(Array("X150.".utf8), .pty), at: now) { events.append($0) }
      session.advance(to: now + .microseconds(10)) { events.append($0) }
    }
    #expect(events.contains { $0.kind == .fault(FaultStrike(.brownOut, at: .supply)) })
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func `What a sender writes while the port is gone is lost, and it restarts the board`()
    throws
  {
    var stated = StatedSession()
    stated.showsPulses = true
    var session = Session(try SessionPlan(stated, on: ModelSource()).begin(on: ModelSource()))
    var plan = ServoPlan(.mg996r)
    plan.supply = try Supply.parse("4xAA:resistance=4")
    session.drive = ServoDrive(plan, seed: 1)
    var events: [Event] = []
    func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
    session.begin([]) { events.append($0) }
    for (time, command) in [(2_000, "X150."), (2_500, "X90."), (6_000, "X91.")] as [(Int64, String)]
    {
      session.advance(to: at(time)) { events.append($0) }
      session.take(.bytes(Array(command.utf8), .pty), at: at(time)) { events.append($0) }
    }
    session.advance(to: at(7_000)) { events.append($0) }
    let received = events.compactMap { event in
      if case .receive(let bytes) = event.kind {
        String(decoding: bytes, as: UTF8.self)
      } else {
        nil
      }
    }
    let lost = events.compactMap { event in
      if case .fault(let strike) = event.kind {
        String(decoding: strike.took, as: UTF8.self)
      } else {
        nil
      }
    }
    #expect(received == ["X150.", "X91."] && lost.contains("X90."))
    #expect(events.contains { $0.kind == .mark(PowerFailure.reopening) })
    #expect(events.contains { $0.kind == .reset(.seconds(1)) })
  }
}
