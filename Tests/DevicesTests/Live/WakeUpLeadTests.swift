import Devices
import Testing
import Turret

@Suite struct WakeUpLeadTests {
  static func lead(after lates: [Int64]) -> Interval {
    var lead = WakeUpLead()
    for late in lates { lead.observe(.microseconds(late)) }
    return lead.interval
  }

  @Test func `It becomes what a machine is usually late by`() {
    let lead = Self.lead(after: Array(repeating: 120, count: 200))
    #expect(lead > .microseconds(115) && lead <= .microseconds(120))
  }

  @Test func `A busy machine is not asked much earlier, and is forgotten soon`() {
    #expect(Self.lead(after: Array(repeating: 90_000, count: 200)) <= WakeUpLead.max)
    let after = Self.lead(
      after: Array(repeating: 90_000, count: 200) + Array(repeating: 10, count: 100))
    #expect(after < .microseconds(20))
  }

  @Test func `Being woken early does not count`() {
    #expect(Self.lead(after: [-500, -20, 0]) == .zero)
  }
}
