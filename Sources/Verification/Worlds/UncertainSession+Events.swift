import Traces
package import Turret

extension UncertainSession {
  /// Calls `body` with each event of a world in order, and the trace's line. Leaves out outputs,
  /// marks and `x-` events unless `includesOthers`.
  func forEachEvent(
    at times: [Instant], includesOthers: Bool, _ body: (Event, Int) -> Void
  ) {
    var fixed = fixed[...]
    var resets = fixed.filter { $0.isReset }[...]
    var others = includesOthers ? others[...] : []
    func pass(to time: Instant) {
      while let other = others.first, other.event.time < time {
        body(other.event, other.line)
        others.removeFirst()
      }
    }
    var last = Instant.zero
    func put(_ event: Event, _ line: Int) {
      pass(to: event.time)
      body(event, line)
      last = event.time
    }
    for index in 0...bytes.count {
      let next = index < times.count ? times[index] : .distantFuture
      while let reset = resets.first, reset.next <= index { resets.removeFirst() }
      while let input = fixed.first, input.next <= index {
        // A change of speed stays between the two bytes between which it was recorded.
        var event = input.expectation.event
        event.time = max(last, min(event.time, next))
        put(event, input.expectation.line)
        fixed.removeFirst()
      }
      guard index < bytes.count else { continue }
      // A byte that was sent before a reset is sent before it here too, even if it was still
      // waiting for the line.
      let limit = resets.first?.expectation.event.time ?? next
      put(Event(min(next, limit), bytes[index].kind), bytes[index].line)
    }
    pass(to: .distantFuture)
  }

  /// Returns a world as a canonical trace. Its times count as exact, and its outputs are compared
  /// with `tolerance`. Bytes of one record of the recording stay in one record while they follow
  /// each other without a gap.
  package func trace(at times: [Instant], tolerance: Interval) -> [UInt8] {
    var header = header
    header.removeUncertainty()
    header.set(tolerance: tolerance)
    var text: [UInt8] = []
    text.appendLine(header)
    var record: (event: Event, line: Int, bytes: [UInt8], end: Instant)?
    var index = 0
    func flush() {
      guard let whole = record else { return }
      text.appendLine(Event(whole.event.time, .receive(whole.bytes)))
      record = nil
    }
    var held: [Event] = []
    forEachEvent(at: times, includesOthers: true) { event, line in
      guard case .receive(let values) = event.kind, index < bytes.count,
        bytes[index].line == line
      else {
        // An output during a record comes after it in the file.
        if record != nil, !event.isInput, event.time < record?.end ?? event.time {
          return held.append(event)
        }
        flush()
        for event in held { text.appendLine(event) }
        held = []
        return text.appendLine(event)
      }
      let gap = index > 0 ? bytes[index].recorded - bytes[index - 1].recorded : .zero
      if record?.line == line, index > 0, times[index] - times[index - 1] == gap {
        record?.bytes += values
        record?.end = times[index]
      } else {
        flush()
        for event in held { text.appendLine(event) }
        held = []
        record = (event, line, values, times[index])
      }
      index += 1
    }
    flush()
    for event in held { text.appendLine(event) }
    return text
  }
}
