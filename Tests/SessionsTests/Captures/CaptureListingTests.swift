import Sessions
import Sketches
import Testing

@testable import Captures

@Suite struct CaptureListingTests {
  private static var summary: CaptureSummary {
    var rx = CaptureSummary.Channel(name: "RX")
    rx.role = "rx"
    rx.baud = 9_600
    rx.counts = ["12 bytes"]
    var other = CaptureSummary.Channel(name: "a \"long\"\nname")
    other.isInverted = true
    var summary = CaptureSummary(kind: .vcd)
    summary.duration = .milliseconds(1_500)
    summary.channels = [rx, other]
    summary.notes = ["cut"]
    return summary
  }

  @Test func `The table has a column for what is found`() {
    let lines = CaptureListing(Self.summary).lines
    #expect(lines.count == 4)
    #expect(lines[1] == "channel         role  baud  polarity  found")
    #expect(lines[2] == "RX              rx    9600  normal    12 bytes")
    #expect(lines[3].hasSuffix("-     -     inverted  -"))
    #expect(lines.allSatisfy { !$0.contains("\n") })
  }

  @Test func `The JSON has null for what is not known`() {
    #expect(
      CaptureListing(Self.summary).json
        == #"{"kind": "vcd", "duration": 1.5, "resolution": null, "uncertainty": null, "#
        + #""framing_errors": 0, "glitches": 0, "holes": 0, "channels": "#
        + #"[{"name": "RX", "role": "rx", "baud": 9600, "inverted": false, "counts": ["12 bytes"]}, "#
        + #"{"name": "a \"long\"\nname", "role": null, "baud": null, "inverted": true, "#
        + #""counts": []}], "notes": ["cut"]}"#)
  }
}
