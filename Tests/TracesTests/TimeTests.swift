import Sketches
import Testing
import Traces

@Suite("Times")
struct TimeTests {
  static let table: [(String, Int64, String)] = [
    ("0", 0, "0.000000"),
    ("0.1", 100_000_000, "0.100000"),
    ("0.000000001", 1, "0.000000001"),
    ("0.000001", 1_000, "0.000001"),
    ("0.0000001", 100, "0.000000100"),
    ("1.5", 1_500_000_000, "1.500000"),
    ("1.500000000", 1_500_000_000, "1.500000"),
    ("123456.123456789", 123_456_123_456_789, "123456.123456789"),
    ("123456.123456", 123_456_123_456_000, "123456.123456"),
    ("999999999.999999999", 999_999_999_999_999_999, "999999999.999999999"),
    // These have no exact binary fraction.
    ("16777216.000000001", 16_777_216_000_000_001, "16777216.000000001"),
    ("0.3", 300_000_000, "0.300000"),
  ]

  @Test(arguments: table)
  func `A decimal is read as whole nanoseconds and written with six or nine places`(
    _ text: String, _ nanoseconds: Int64, _ canonical: String
  ) throws {
    let trace = try ReadTrace("\(head)\n[\(text), \"mark\", \"\"]\n")
    #expect(trace.events.first?.time == Instant(nanoseconds: nanoseconds))
    #expect(trace.canonical.hasSuffix("\n[\(canonical), \"mark\", \"\"]\n"))
  }

  @Test(arguments: [(0, "0"), (1, "0.000000001"), (1_600_000_000, "1.6"), (-5_000_000_000, "-5")])
  func `A length of time is written as its shortest decimal`(_ nanoseconds: Int64, _ text: String) {
    var bytes: [UInt8] = []
    bytes.appendShortest(Interval(nanoseconds: nanoseconds))
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [
    ("2e-05", 20_000), ("2E-5", 20_000), ("1e3", 1_000_000_000_000), ("1.5e+2", 150_000_000_000),
    ("1.234e-06", 1_234), ("0e9", 0), ("0.0e-999", 0), ("12345678900e-10", 1_234_567_890),
    ("0.00000000001e2", 1), ("1.1234567890e0", 1_123_456_789), ("1.1234567890", 1_123_456_789),
    ("9.99999999e8", 999_999_999_000_000_000),
  ])
  func `An exponent is read exactly`(_ text: String, _ nanoseconds: Int64) {
    #expect(Interval(decimalSeconds: text) == Interval(nanoseconds: nanoseconds))
  }

  @Test func `A time with an exponent is written without it`() throws {
    let text = "\(head)\n[2e-05, \"mark\", \"a\"]\n[1.5E0, \"mark\", \"b\"]\n"
    #expect(
      try ReadTrace(text).canonical
        == "\(head)\n[0.000020, \"mark\", \"a\"]\n[1.500000, \"mark\", \"b\"]\n")
  }

  @Test(arguments: ["1e-5s", "20e-3ms", "2e1us"])
  func `A length of time with a unit can have an exponent`(_ text: String) {
    #expect(Interval(withUnit: text) != nil)
  }

  @Test(arguments: [
    "", "-1", "1 ", "1.", "1.0000000001", "01", "1e", "1e+", "e5", "1e-10", "1e9", "1e999", "1.e5",
    "1e5.5", "1e99999999999999999999", "2e-99999999999999999999", "1.5.5e1",
  ])
  func `Text that is not a plain decimal gives no seconds`(_ text: String) {
    #expect(Interval(decimalSeconds: text) == nil)
  }

  @Test
  func `Events at equal times stay in the order of the file`() throws {
    let text = "\(head)\n[1.000000, \"mark\", \"a\"]\n[1.000000, \"mark\", \"b\"]\n"
    #expect(try ReadTrace(text).canonical == text)
  }
}
