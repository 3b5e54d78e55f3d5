import Sessions
import Testing

@Suite struct RecordedZoneTests {
  @Test(arguments: [
    ("UTC", 0), ("Z", 0), ("+02:00", 7_200), ("-05:30", -19_800), ("+00:00", 0),
  ])
  func `An offset is the same at all times`(text: String, seconds: Int) throws {
    let zone = try #require(RecordedZone(text))
    #expect(zone.offset(at: "2026-01-01T00:00:00") == seconds)
    #expect(zone.offset(at: "2026-07-01T00:00:00") == seconds)
  }

  @Test(arguments: [
    "", "+2:00", "+24:00", "02:00", "+02:60", "++1:00", "/etc/passwd", "../../etc/passwd",
    "Europe//Berlin", "Europe", "No/Such", "Europe/Berlin\u{0}", String(repeating: "a", count: 99),
  ])
  func `Anything else is no zone`(text: String) {
    #expect(RecordedZone(text) == nil)
  }

  @Test(arguments: ["", "2026", "2026-13", "now", "99999999999-01-01T00:00:00"])
  func `A time of another form has no offset by name`(text: String) {
    // The database can be missing, in which case no name is a zone.
    guard let zone = RecordedZone("Etc/UTC") else { return }
    #expect(zone.offset(at: text) == nil)
  }
}
