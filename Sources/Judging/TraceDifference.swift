package import Sketches
package import Traces

/// Compares the outputs of two traces.
package enum TraceDifference {
  /// Reads both traces to their ends. Compares the kinds that the first expects, or every one.
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
    func find(until instant: Instant) throws(TraceError) {
      while let given = next, given.time <= instant {
        comparison.find(given)
        if given.output != nil { outputs += 1 }
        next = try found.next()
      }
    }
    while let event = try expected.next() {
      try find(until: event.time)
      comparison.expect(event, line: expected.line)
      if event.output != nil { outputs += 1 }
      comparison.settle(before: event.time, line: expected.line)
    }
    try find(until: .distantFuture)
    let end = min(
      expected.header.shownEnd(lastEvent: expected.time),
      found.header.shownEnd(lastEvent: found.time))
    comparison.finish(at: end, line: expected.line)
    return outputs > 0
      ? comparison.verdict : Verdict(.nothingToCompare("neither trace has outputs"))
  }
}
