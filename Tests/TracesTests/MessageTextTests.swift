import Sketches
import Testing
import Traces

struct MessageTextTests {
  @Test(
    arguments: [
      (0, "0 us"), (1, "0.001 us"), (1_500, "1.5 us"), (200_000, "200 us"), (999_499, "999.499 us"),
      (999_999, "1 ms"), (1_000_000, "1 ms"), (1_000_400, "1 ms"), (1_000_600, "1.001 ms"),
      (20_000_000, "20 ms"), (250_016_000, "250.016 ms"), (999_999_499, "999.999 ms"),
      (999_999_999, "1 s"), (1_500_000_000, "1.5 s"), (1_000_001_000, "1.000001 s"),
      (86_400_000_000_000, "86400 s"), (-200_000, "-200 us"), (-20_000_000, "-20 ms"),
      (.max, "9223372036.854776 s"), (.min, "-9223372036.854776 s"),
    ] as [(Int64, String)])
  func `A length of time has the unit that suits it`(_ nanoseconds: Int64, _ text: String) {
    #expect(String(readable: .nanoseconds(nanoseconds)) == text)
  }

  @Test(arguments: [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (-1, "-1 bytes")])
  func `A number has its noun in the right form`(_ number: Int, _ text: String) {
    #expect(String(counting: number, "byte") == text)
  }
}
