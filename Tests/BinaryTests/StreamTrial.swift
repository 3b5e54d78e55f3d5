import Foundation
import Sketches
import Traces

/// One stream on the model and on the binary.
struct StreamTrial {
  /// The largest number of bytes in a stream that can arrive at the instant of a look.
  static let racesMax = 3
  /// The distance that each of them is moved, in microseconds.
  private static let moves: [Int64] = [10, -10, 25, -25, 50, -50]
  /// Only bytes that arrived at most this long before a difference, and at most this many, can be
  /// its cause: a line that one side drops becomes visible after all lines that were accepted
  /// before it.
  private static let causeMax = Interval.milliseconds(90)
  private static let causeCountMax = 80

  /// How much later the first difference must be after a move that does not remove all differences.
  private static let stepMin = Interval.milliseconds(16)

  let stream: SentStream
  private let chip: Session
  private let timing: Timing
  private(set) var comparison: SessionComparison
  /// Bytes that arrived almost when the sketch looked, and how far each is moved so that the model
  /// sees what the binary saw.
  private(set) var moved: [Int: Interval] = [:]

  init(_ stream: SentStream, chip: Session, timing: Timing) {
    self.stream = stream
    self.chip = chip
    self.timing = timing
    comparison = Self.compare(stream, chip, timing, [:])
    while comparison.first != nil, moved.count < Self.racesMax, moveOne() {}
  }

  /// The difference between the binary's session and the model's; nil if there is none.
  var difference: String? {
    chip.complaint.map { "the binary: \($0)" } ?? comparison.first?.description
  }

  private static func compare(
    _ stream: SentStream, _ chip: Session, _ timing: Timing, _ moved: [Int: Interval]
  ) -> SessionComparison {
    let model = Session(model: stream, timing: timing, shifts: moved)
    // Stricter by the move, so that nothing differs by more than the tolerance from the original
    // arrivals.
    let farthest = moved.values.map(\.magnitude).max() ?? .zero
    return SessionComparison(model: model, chip: chip, of: stream, stricterBy: farthest)
  }

  /// If a byte arrives just as the sketch looks, model and binary can see it on different sides,
  /// each within the allowed distance. The model with that byte a little earlier or later must then
  /// agree in everything, or at least up to a later point. Returns false if no move achieves that.
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

  /// Writes a trace that shows the difference, with the inputs and the binary's outputs. Returns
  /// the command that shows it.
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
