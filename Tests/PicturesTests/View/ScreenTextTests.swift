import Sketches
import Testing

@testable import Pictures

struct ScreenTextTests {
  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1 000"), (1_234_567, "1 234 567"), (-1_000, "-1 000"),
    (Int.min, "-9 223 372 036 854 775 808"),
  ])
  func `Counts have their digits in groups of three`(_ count: Int, _ text: String) {
    #expect(ScreenText.grouped(count) == text)
  }

  @Test(arguments: [
    (118.64, 1, "118.6"), (0, 1, "0.0"), (-0.26, 1, "-0.3"), (0.04, 2, "0.04"), (900, 0, "900"),
    (.nan, 1, "?"), (.infinity, 0, "?"), (1e30, 1, "?"),
  ])
  func `Numbers keep their decimal places`(_ value: Double, _ places: Int, _ text: String) {
    #expect(ScreenText.fixed(value, places: places) == text)
  }

  @Test(arguments: [
    (52, "0.05"), (9_994, "9.99"), (9_996, "10.0"), (99_960, "100"), (1_000_000, "1000"),
  ])
  func `Milliseconds take four characters`(_ microseconds: Int64, _ text: String) {
    #expect(ScreenText.milliseconds(.microseconds(microseconds)) == text)
  }

  @Test(arguments: [
    (0, "0 s"), (3_599, "3599 s"), (3_600, "3 600 s (1:00:00)"), (45_296, "45 296 s (12:34:56)"),
  ])
  func `The clock shows whole seconds`(_ seconds: Int64, _ text: String) {
    #expect(ScreenText.clock(Instant(nanoseconds: seconds * 1_000_000_000 + 999_999_999)) == text)
  }

  @Test(arguments: [
    ("one two three", 8, 3, ["one two", "three"]), ("one two", 7, 3, ["one two"]),
    ("abcdefgh ij", 3, 9, ["abc", "def", "gh", "ij"]),
    ("one two three", 5, 2, ["one", "two three"]),
    ("", 5, 2, [""]), ("one", 0, 2, []),
  ])
  func `Sentences break at spaces, and the last line takes what remains`(
    _ text: String, _ width: Int, _ linesMax: Int, _ lines: [String]
  ) {
    #expect(ScreenText.wrapped(text, to: width, linesMax: linesMax) == lines)
  }
}
