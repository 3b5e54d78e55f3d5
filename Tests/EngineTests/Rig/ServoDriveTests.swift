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
