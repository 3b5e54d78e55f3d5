import Sketches
import Testing

@Suite("When a board's bytes arrived")
struct ArrivalClockTests {
  /// At 1 000 000 bits a second a byte takes 10 us. A read is its instant in us and its number of
  /// bytes.
  static let reads: [(reads: [(at: Int64, count: Int)], ends: [Int64])] = [
    ([(at: 100, count: 1)], [100]),
    ([(at: 100, count: 3)], [80, 90, 100]),
    ([(at: 100, count: 1), (at: 200, count: 2)], [100, 190, 200]),
    // The bytes of the second read cannot have arrived before the first read.
    ([(at: 100, count: 1), (at: 105, count: 3)], [100, 100, 100, 105]),
    ([(at: 5, count: 2)], [0, 5]),
  ]

  @Test(
    "The last byte of a read has just arrived, the others at the line's speed, none before another",
    arguments: reads)
  func ends(reads: [(at: Int64, count: Int)], ends: [Int64]) {
    var clock = ArrivalClock(baud: 1_000_000)
    let found = reads.flatMap { read in
      (0..<read.count).reversed().map { later in
        clock.end(before: later, readAt: .zero + .microseconds(read.at))
      }
    }
    #expect(found == ends.map { .zero + .microseconds($0) })
  }
}
