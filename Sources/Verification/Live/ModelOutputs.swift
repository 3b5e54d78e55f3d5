import Traces
import Turret

/// The model's outputs in a session. Each is paired with at most one of the trace's.
struct ModelOutputs {
  let outputs: [TimedOutput]
  private(set) var isPaired: [Bool]

  init(_ outputs: [TimedOutput]) {
    self.outputs = outputs
    isPaired = outputs.map { _ in false }
  }

  /// Pairs the nearest output in time that has the same value and no partner yet.
  mutating func pair(_ output: Output, at time: Instant, within window: Interval) -> TimedOutput? {
    var best: Int?
    var index = outputs.partitioningIndex { $0.time >= time - window }
    while index < outputs.count, outputs[index].time <= time + window {
      if !isPaired[index], output.matches(outputs[index].output),
        best.map({ off($0, time) > off(index, time) }) ?? true
      {
        best = index
      }
      index += 1
    }
    guard let best else { return nil }
    isPaired[best] = true
    return outputs[best]
  }

  private func off(_ index: Int, _ time: Instant) -> Interval {
    (outputs[index].time - time).magnitude
  }
}
