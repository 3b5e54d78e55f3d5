import Foundation
import Traces
import Turret

/// One stream on the model and on the binary.
struct StreamTrial {
  /// How many bytes of a stream may lie at an instant at which the sketch looks.
  static let racesMax = 3
  /// How far each of them is moved, microseconds.
  private static let moves: [Int64] = [10, -10, 25, -25, 50, -50]
  /// Bytes that arrived so long before a difference, and no more of them, can be its cause: a line
  /// that one side drops shows after all that were accepted before.
  private static let causeMax = Interval.milliseconds(90)
  private static let causeCountMax = 80

  /// How much farther a move must lead that does not do away with all differences.
  private static let stepMin = Interval.milliseconds(16)

  let stream: SentStream
  private let chip: Session
  private let timing: Timing
  private(set) var comparison: SessionComparison
  /// Bytes that arrived as good as when the sketch looked, and by how much they are moved for the
  /// model to see what the binary saw.
  private(set) var moved: [Int: Interval] = [:]

  init(_ stream: SentStream, chip: Session, timing: Timing) {
    self.stream = stream
    self.chip = chip
    self.timing = timing
    comparison = Self.compare(stream, chip, timing, [:])
    while comparison.first != nil, moved.count < Self.racesMax, moveOne() {}
  }

  /// In which point the binary's session is not the model's; nil: in none.
  var difference: String? {
    chip.complaint.map { "the binary: \($0)" } ?? comparison.first?.description
  }

  private static func compare(
    _ stream: SentStream, _ chip: Session, _ timing: Timing, _ moved: [Int: Interval]
  ) -> SessionComparison {
    let model = Session(model: stream, timing: timing, shifts: moved)
    // So nothing is ever farther from what the arrivals as they were bring about.
    let farthest = moved.values.map(\.magnitude).max() ?? .zero
    return SessionComparison(model: model, chip: chip, of: stream, stricterBy: farthest)
  }

  /// Where a byte arrives as the sketch looks whether one has come, model and binary may see it on
  /// different sides, each within what they may be apart. Then the model with that byte a little
  /// earlier or later must agree in everything, or at least up to a later point. False where none
  /// of them does.
  private mutating func moveOne() -> Bool {
    guard let first = comparison.first else { return false }
    let causes = stream.arrivals.indices.filter { index in
      let age = first.time - stream.arrivals[index].end
      return age >= -SessionDifference.tolerance && age <= Self.causeMax && moved[index] == nil
    }
    var best: (moved: [Int: Interval], comparison: SessionComparison)?
    for index in causes.suffix(Self.causeCountMax).reversed() {
      for move in Self.moves {
        var moved = moved
        moved[index] = .microseconds(move)
        let tried = Self.compare(stream, chip, timing, moved)
        if tried.first == nil {
          self.moved = moved
          comparison = tried
          return true
        }
        let reached = best?.comparison.first?.time ?? first.time + Self.stepMin
        if let next = tried.first, next.time > reached { best = (moved, tried) }
      }
    }
    guard let best else { return false }
    moved = best.moved
    comparison = best.comparison
    return true
  }

  /// Writes the trace that shows the difference, inputs and what the binary put out. Returns how to
  /// look at it.
  func report(_ difference: String) -> String {
    let name = "divergence-\(stream.sketch.rawValue)-\(stream.seed).jsonl"
    let path = ".build/\(name)"
    let file = PrebuiltSketch.root.appending(path: path)
    let trace = stream.trace(chip.outputs)
    let isWritten = (try? Data(trace).write(to: file)) != nil
    let timing = "Tests/BinaryTests/Timings/\(stream.sketch.rawValue).json"
    return """
      \(stream.sketch.rawValue), seed \(stream.seed): \(difference)
        SENTRY_SEED=\(stream.seed) SENTRY_STREAMS=1 swift test --filter '^BinaryTests.BinaryTests'
        the binary's session: \(isWritten ? path : "could not be written to \(path)")
        sentrybench verify --tolerance 100us --timing \(timing) \(path)
        sentrybench verify --tolerance 0us --device avr:\(stream.sketch.path) \(path)
        sentrybench explain --timing \(timing) \(path)
      """
  }
}
