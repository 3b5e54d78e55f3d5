import Foundation
import Sketches
import Testing
import Traces

/// Compares the models with the very binaries that are flashed, on random streams: equal outputs
/// within 100 us, and equal fates of every byte.
///
/// A few streams run by default, more with `SENTRY_STREAMS=200`. `SENTRY_SEED` is the first seed,
/// and `SENTRY_PROGRESS` prints the progress.
@Suite struct BinaryTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["SENTRY_STREAMS"].flatMap { UInt64($0) } ?? 10
  private static let first = environment["SENTRY_SEED"].flatMap { UInt64($0) } ?? 0
  private static let saysHowFar = environment["SENTRY_PROGRESS"] != nil
  private static let progressCount = 250

  @Test(arguments: PrebuiltSketch.allCases)
  func `The model and the prebuilt binary handle a random stream alike`(
    _ sketch: PrebuiltSketch
  ) async throws {
    let symbols = try sketch.symbols()
    let source = try sketch.source()
    let timing = try sketch.timing()
    let seeds = Self.first..<Self.first + Self.count
    let figures = try await withThrowingTaskGroup(of: StreamTrial.self) { group in
      var figures = Figures()
      var rest = seeds
      func begin() {
        guard let seed = rest.popFirst() else { return }
        group.addTask {
          let stream = RandomSender.stream(sketch, seed: seed)
          let chip =
            switch sketch {
            case .classic: try Session(chip: stream, source: source, watch: ClassicWatch(symbols))
            case .guarded: try Session(chip: stream, source: source, watch: GuardedWatch(symbols))
            }
          return StreamTrial(stream, chip: chip, timing: timing)
        }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { begin() }
      while let trial = try await group.next() {
        let failureCount = figures.failures.count
        figures.add(trial)
        if Self.saysHowFar, figures.failures.count > failureCount {
          print(figures.failures[failureCount])
        }
        begin()
        if Self.saysHowFar, figures.streams % Self.progressCount == 0 {
          print(
            "\(sketch.rawValue): \(figures.streams) of \(Self.count), "
              + "\(figures.failures.count) differ, \(figures.races.count) with a race")
        }
      }
      return figures
    }
    if Self.count > 10 { print("seeds \(seeds)\n\(figures.description(of: sketch))") }
    #expect(figures.failures.isEmpty, "\(figures.failures.joined(separator: "\n"))")
    // Differences that are explained away must stay rare.
    #expect(figures.races.count <= 1 + figures.streams / 50)
    #expect(figures.streams == Int(Self.count))
  }
}
