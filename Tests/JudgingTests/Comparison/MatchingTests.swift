import Judging
import Sketches
import Testing
import Traces

@Suite("Matching values")
struct MatchingTests {
  static let table: [(Output, Output, Bool)] = [
    (.servo(degrees: 90, microseconds: 1472), .servo(degrees: 90, microseconds: 1472), true),
    (.servo(degrees: 90, microseconds: 1472), .servo(degrees: 90, microseconds: 1473), false),
    (.servo(degrees: 90, microseconds: 1472), .servo(degrees: 91, microseconds: 1472), false),
    (.pulse(microseconds: 1472), .pulse(microseconds: 1475), true),
    (.pulse(microseconds: 1472), .pulse(microseconds: 1469), true),
    (.pulse(microseconds: 1472), .pulse(microseconds: 1475.0625), false),
    (.pulse(microseconds: 1472), .pulse(microseconds: 1468.9375), false),
    (.tone(hertz: 900), .tone(hertz: 909), true),
    (.tone(hertz: 900), .tone(hertz: 891), true),
    (.tone(hertz: 900), .tone(hertz: 909.5), false),
    (.tone(hertz: 900), .tone(hertz: 0), false),
    (.tone(hertz: 0), .tone(hertz: 0), true),
    (.tone(hertz: 0), .tone(hertz: 1), false),
    (.transmit(65), .transmit(65), true),
    (.transmit(65), .transmit(66), false),
    (.lost(65, .ringFull), .lost(65, .ringFull), true),
    (.lost(65, .ringFull), .lost(66, .ringFull), false),
    (.lost(65, .ringFull), .lost(65, .booting), false),
    (.transmit(65), .lost(65, .booting), false),
    (.pulse(microseconds: 900), .tone(hertz: 900), false),
  ]

  @Test(arguments: table)
  func `A pulse can differ by 3 us, a tone by one percent, and other outputs not at all`(
    _ expected: Output, _ found: Output, _ same: Bool
  ) {
    #expect(expected.matches(found) == same)
  }

  @Test(arguments: [
    (Output.servo(degrees: 45, microseconds: 1008), "servo 45 (1008 us)"),
    (.pulse(microseconds: 1471.5), "a pulse of 1471.5 us"),
    (.tone(hertz: 900), "a tone of 900 Hz"),
    (.tone(hertz: 0), "silence"), (.transmit(10), #"the byte "\n" sent"#),
    (.lost(88, .ringFull), #"the byte "X" lost (ring-full)"#),
  ])
  func `An output is described in words`(_ output: Output, _ text: String) {
    #expect(output.description == text)
  }
}
