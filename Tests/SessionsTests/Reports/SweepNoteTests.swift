import Judging
import Sketches
import Testing
import Traces

@testable import Sessions

/// A report's note about a sweep that is slower or faster than the model's.
struct SweepNoteTests {
  private static func note(
    _ expected: Int64, _ found: Int64, trace: String = "a.jsonl", program: String?
  ) -> SweepNote {
    SweepNote(
      drift: SweepDrift(
        count: 10, expectedStep: .nanoseconds(expected), foundStep: .nanoseconds(found),
        modelStep: .nanoseconds(15_060_330)),
      trace: trace, program: program)
  }

  /// The steps of trace and device in nanoseconds, the program on the chip, and the text.
  static let notes: [(Int64, Int64, String?, String)] = [
    (
      15_060_400, 15_067_380, "my.hex",
      "the sweep is 7 us a step slower than the model; calibrate it: sentrybench calibrate my.hex "
        + "-o timing.json; with --timing timing.json the model takes as long"
    ),
    (
      15_060_330, 15_058_480, "my build.elf",
      "the sweep is 1.9 us a step faster than the model; calibrate it: sentrybench calibrate "
        + "'my build.elf' -o timing.json; with --timing timing.json the model takes as long"
    ),
    (
      15_070_330, 15_080_330, "my.hex",
      "the sweep is 10 us a step slower than the trace's; calibrate it: sentrybench calibrate "
        + "my.hex -o timing.json; with --timing timing.json the model takes as long"
    ),
    (
      15_067_330, 15_060_330, nil,
      "the trace's sweep is 7 us a step slower than the model; calibrate the build that made the "
        + "trace: sentrybench calibrate FILE -o timing.json; then sentrybench verify --timing "
        + "timing.json a.jsonl"
    ),
    (
      15_057_330, 15_060_330, "classic.hex",
      "the trace's sweep is 3 us a step faster than the model; calibrate the build that made the "
        + "trace: sentrybench calibrate FILE -o timing.json; then sentrybench verify --timing "
        + "timing.json a.jsonl"
    ),
  ]

  @Test(arguments: notes)
  func `The note names the difference of a step and the commands`(
    _ expected: Int64, _ found: Int64, _ program: String?, _ text: String
  ) {
    #expect(Self.note(expected, found, program: program).text == text)
  }

  @Test func `Paths are quoted for the shell, and contain no control characters`() {
    let note = Self.note(15_060_330, 15_067_330, program: "it's \u{1B}[1m.hex")
    #expect(note.text.contains(#"calibrate 'it'\''s "#), "\(note.text)")
    #expect(!note.text.contains("\u{1B}"))
  }

  @Test func `A note in JSON has the exact steps in seconds`() {
    let note = Self.note(15_060_330, 15_067_330, program: "my.hex")
    #expect(
      note.json.text.hasPrefix(
        #"{"steps": 10, "expected": 0.01506033, "found": 0.01506733, "message": "the sweep is 7 "#))
  }
}
