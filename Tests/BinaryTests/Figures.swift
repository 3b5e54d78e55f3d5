import Sketches

/// Statistics of a number of streams.
struct Figures: Sendable {
  private(set) var streams = 0
  private(set) var bytes = 0
  private(set) var seconds = 0.0
  private(set) var outputs: [String: Int] = [:]
  private(set) var fates: [String: Int] = [:]
  /// The least and the greatest lag of the binary behind the model, in microseconds.
  private(set) var lags: [String: ClosedRange<Double>] = [:]
  /// The streams with bytes that arrived almost when the sketch looked, and the number of those
  /// bytes.
  private(set) var races: [UInt64: Int] = [:]
  private(set) var failures: [String] = []

  mutating func add(_ trial: StreamTrial) {
    streams += 1
    bytes += trial.stream.arrivals.count
    seconds += trial.stream.end.seconds
    if let difference = trial.difference {
      failures.append(trial.report(difference))
      return
    }
    if !trial.moved.isEmpty { races[trial.stream.seed] = trial.moved.count }
    for (kind, count) in trial.comparison.counts { outputs[kind, default: 0] += count }
    for (fate, count) in trial.comparison.fates { fates[fate, default: 0] += count }
    for (kind, lag) in trial.comparison.lags {
      let known = lags[kind] ?? lag
      lags[kind] =
        min(known.lowerBound, lag.lowerBound)...max(known.upperBound, lag.upperBound)
    }
  }

  func description(of sketch: PrebuiltSketch) -> String {
    func list<V>(_ values: [String: V], _ text: (V) -> String) -> String {
      values.sorted { $0.key < $1.key }.map { "\($0.key) \(text($0.value))" }
        .joined(separator: ", ")
    }
    func whole(_ value: Double) -> Int { Int(value.rounded()) }
    let races = races.keys.sorted().prefix(20).map { "\($0)" }.joined(separator: " ")
    return """
      \(sketch.rawValue): \(streams) streams, \(bytes) bytes, \(whole(seconds)) s; \
      \(failures.count) differ
        compared: \(list(outputs) { "\($0)" })
        fates: \(list(fates) { "\($0)" })
        the binary behind the model, us: \
      \(list(lags) { "\(whole($0.lowerBound))...\(whole($0.upperBound))" })
        a byte within 50 us of when the sketch looks: \(self.races.count) streams\
      \(races.isEmpty ? "" : " (\(races))")
      """
  }
}
