package import Sketches
package import Traces

/// Compares the outputs of two traces.
package enum TraceDifference {
  /// Reads both traces to their ends. Compares the kinds that the first expects; without `expects`,
  /// every kind.
  package static func find(
    _ expected: inout TraceReader, _ found: inout TraceReader, tolerance: Interval?
  ) throws(TraceError) -> Verdict {
    let isHost = expected.header.clock == .host || found.header.clock == .host
    let tolerance =
      tolerance ?? expected.header.statedTolerance
      ?? (isHost
        ? max(expected.header.tolerance, found.header.tolerance) : expected.header.tolerance)
    let kinds = expected.header.expects ?? Set(Output.Kind.allCases)
    var comparison = Comparison(
      kinds: kinds, tolerance: tolerance, comparesAllPins: !isHost,
      times: isHost ? .computer() : .board)
    var outputs = 0
    var next = try found.next()
    while let event = try expected.next() {
      while let given = next, given.time <= event.time {
        comparison.find(given)
        if given.output != nil { outputs += 1 }
        next = try found.next()
      }
      comparison.expect(event, line: expected.line)
      if event.output != nil { outputs += 1 }
      comparison.settle(before: event.time, line: expected.line)
    }
    while let given = next {
      comparison.find(given)
      if given.output != nil { outputs += 1 }
      next = try found.next()
    }
    let ends = [
      expected.header.shownEnd(lastEvent: expected.time),
      found.header.shownEnd(lastEvent: found.time),
    ]
    comparison.finish(at: min(ends[0], ends[1]), line: expected.line)
    guard outputs > 0 else {
      return Verdict(.nothingToCompare("neither trace has outputs"))
    }
    return comparison.verdict
  }
}
