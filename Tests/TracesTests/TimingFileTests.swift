import Sketches
import Testing

@testable import Traces

/// A build's timing as a file.
struct TimingFileTests {
  private static let timings = Firmware.allCases.map { $0.sketch.timing }
  private static let text = timings[0].text

  private static func read(_ text: String) throws(TraceError) -> Timing {
    try Timing(text: Array(text.utf8), path: "timing")
  }

  @Test(arguments: timings)
  func `A written timing reads back equal`(_ timing: Timing) throws {
    #expect(try Self.read(timing.text) == timing)
    #expect(try Self.read(timing.text).text == timing.text)
  }

  @Test func `The text has a line for each field, in microseconds`() {
    let lines = Self.text.split(separator: "\n")
    #expect(lines.first == "{" && lines.last == "}" && lines.count == 18)
    #expect(lines[1] == #"  "firstWrite": 197,"#)
    #expect(lines[3] == #"  "byteRead": 3.2,"#)
    #expect(lines[9] == #"  "step": 15060.33,"#)
    #expect(lines[16] == #"  "pulsePeriod": 20003.2"#)
  }

  @Test func `The fields are all the properties of a timing`() {
    var timing = Self.timings[0]
    let count = Mirror(reflecting: timing).children.count
    #expect(Timing.Field.allCases.count == count)
    for (index, field) in Timing.Field.allCases.enumerated() {
      timing[field] = .nanoseconds(Int64(index))
      #expect(timing[field] == .nanoseconds(Int64(index)))
    }
    for (index, field) in Timing.Field.allCases.enumerated() {
      let child = Mirror(reflecting: timing).children.first { $0.label == field.rawValue }
      #expect(child?.value as? Interval == .nanoseconds(Int64(index)))
    }
  }

  @Test(arguments: [
    // The text to replace, its replacement, and part of the message.
    (#""byteRead": 3.2"#, #""byteRead": -3.2"#, "timing:4:15: error: expected microseconds"),
    ("3.2", "NaN", "timing:4:15: error: expected microseconds, found 'N'"),
    ("3.2", "3.2004", "found 3.2004"),
    ("3.2", "60000001", "found 60000001"),
    ("3.2", "1e99", "timing:4:15: error: expected microseconds from 0"),
    ("3.2", #""3.2""#, "timing:4:15: error: expected microseconds"),
    ("3.2", "null", "timing:4:15: error: expected microseconds"),
    ("byteRead", "bytesRead", "timing:4:3: error: expected one of firstWrite, startUp"),
    ("purgeRead", "byteRead", "timing:5:3: error: expected each key once"),
    (#"  "byteRead": 3.2,"#, "", "missing byteRead"),
    ("15060.33", "20", "expected step not to be shorter than stepWrite"),
    ("1000205", "5", "expected startUp not to be before firstWrite"),
    (#""firstPulse": 52918"#, #""firstPulse": 0"#, "expected firstPulse to be after firstWrite"),
    (#""firstPulse": 52918"#, #""firstPulse": 197"#, "expected firstPulse to be after firstWrite"),
    ("20003.2", "0", "expected pulsePeriod to be at least a millisecond"),
    ("}", "", "found the end"), ("}", "}}", "found '}'"), ("{", "[", "timing:1:1: error:"),
  ])
  func `An invalid timing is refused with the reason`(
    _ change: (old: String, new: String, message: String)
  ) throws {
    let text = Self.text.replacing(change.old, with: change.new, maxReplacements: 1)
    #expect(text != Self.text)
    do {
      _ = try Self.read(text)
      Issue.record("it was accepted")
    } catch {
      #expect(error.code == .malformed)
      #expect(error.description.contains(change.message), "\(error)")
    }
  }

  @Test(arguments: ["", "\n", "null", "[]", "{}", "\u{0}"])
  func `A text that is not a timing is refused`(_ text: String) {
    #expect(throws: TraceError.self) { try Self.read(text) }
  }
}
