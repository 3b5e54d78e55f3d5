/// Finds the time between two samples from the instants of edges, for formats that have only those.
struct SampleStep: Hashable, Sendable {
  /// Fewer different times between edges can have a common divisor by chance: a servo at rest has
  /// only two.
  private static let differentMin = 8

  private var divisor: Int64 = 0
  private var last: Int64?
  private var runs: Set<Int64> = []

  /// Takes the instant of an edge, in nanoseconds since the recording's beginning.
  mutating func take(_ time: Int64) {
    defer { last = time }
    if divisor == 0 || time % divisor != 0 {
      var (a, b) = (time, divisor)
      while b != 0 { (a, b) = (b, a % b) }
      divisor = a
    }
    if let last, runs.count < Self.differentMin { runs.insert(time - last) }
  }

  /// In nanoseconds, at most a second; nil if the edges do not show it. A step of a microsecond or
  /// less may only be the resolution of the file's times.
  var nanoseconds: Int64? {
    (1_001...1_000_000_000).contains(divisor) && runs.count >= Self.differentMin ? divisor : nil
  }
}
