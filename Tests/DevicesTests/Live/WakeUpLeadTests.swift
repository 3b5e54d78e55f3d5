import Devices
import Sketches
import Testing

@Suite struct WakeUpLeadTests {
  static func lead(after lates: [Int64]) -> Interval {
    var lead = WakeUpLead()
    for late in lates { lead.observe(.microseconds(late)) }
    return lead.interval
  }

  @Test func `The lead approaches the machine's usual lateness`() {
    let lead = Self.lead(after: Array(repeating: 120, count: 200))
    #expect(lead > .microseconds(115) && lead <= .microseconds(120))
  }

  @Test func `A busy machine raises the lead only up to a limit, and only for a short time`() {
    #expect(Self.lead(after: Array(repeating: 90_000, count: 200)) <= WakeUpLead.max)
    let after = Self.lead(
      after: Array(repeating: 90_000, count: 200) + Array(repeating: 10, count: 100))
    #expect(after < .microseconds(20))
  }

  @Test func `An early wake-up does not count`() {
    #expect(Self.lead(after: [-500, -20, 0]) == .zero)
  }
}
