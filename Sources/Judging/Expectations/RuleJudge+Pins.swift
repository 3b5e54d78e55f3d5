import Sketches
import Traces

// Rules about all pulses or levels of a pin.
extension RuleJudge {
  /// A model says when the sketch does something, and a chip can be this far ahead of it or behind.
  private static let skew = Interval.milliseconds(1)
  /// The maximum number of pulses that a failure lists.
  private static let listedMax = 4

  // MARK: Counting

  /// Decides about the number of pulses that begin in a period. Every one must be as required.
  func decide(
    _ count: ClosedRange<Int>, of reach: Reach, from begin: Instant, to limit: Instant,
    _ record: SessionRecord
  ) -> Decision {
    guard case .pin(let pin) = reach.target, case .pulse(let isHigh, _) = pin.condition
    else { return self.fails(["only pulses on a pin can be counted"], record) }
    let levels = record.pin(named: pin.name)
    let edges = levels.edges
    let first = max(levels.first(from: begin), progress.edge)
    let range = first..<max(first, levels.first(after: limit))
    let starts = range.filter { edges[$0].isHigh == isHigh }
    let ended = starts.filter { levels.length(at: $0) != nil }
    let all = progress.count + ended.count
    func fails(_ notes: [String], at index: Int?) -> Decision {
      let time = index.map { edges[$0].time } ?? min(limit, record.end ?? record.complete)
      return self.fails(notes, at: time, record)
    }
    let label = record.label(ofPin: pin.name)
    if let wrong = ended.first(where: { !levels.meets(pin.condition, at: $0) }),
      let length = levels.length(at: wrong)
    {
      return fails(
        ["\(label) had a pulse of \(String(readable: length)) at \(edges[wrong].time.text)"],
        at: wrong)
    }
    func listed() -> [String] {
      var note = "\(label) had \(String(counting: all, "pulse"))"
      if all > 0 {
        let times = (progress.begins + ended.map { edges[$0].time }).prefix(Self.listedMax)
        note += ", at " + times.map { $0.text }.joined(separator: ", ")
        if all > Self.listedMax { note += " and later" }
      }
      if record.isSettling { note += ", by \(record.complete.text)" }
      let open = starts.last.flatMap { levels.length(at: $0) == nil ? $0 : nil }
      return [note] + (open.map { [record.unended(pin.name, isHigh, edges[$0].time)] } ?? [])
    }
    if all > count.upperBound {
      return fails(listed(), at: ended[count.upperBound - progress.count])
    }
    if let end = record.end {
      if limit != .distantFuture, limit > end { return .open(until: nil) }
    } else {
      guard limit < record.complete else { return .open(until: limit.unlessNever) }
      if let until = record.settles(pin, by: limit) { return .open(until: until.unlessNever) }
    }
    guard count.contains(all), ended.count == starts.count else { return fails(listed(), at: nil) }
    let last = min(limit, record.end ?? limit)
    return .holds(after: Place(.init(time: last), command: place.command))
  }

  /// Counts the pulses that began before an instant and have ended.
  mutating func settleCount(of reach: Reach, _ record: SessionRecord, before instant: Instant) {
    guard case .pin(let pin) = reach.target, case .pulse(let isHigh, _) = pin.condition
    else { return }
    let levels = record.pin(named: pin.name)
    let end = min(levels.first(from: instant), levels.edges.endIndex - 1)
    while progress.edge < end {
      let index = max(progress.edge, levels.edges.startIndex)
      progress.edge = index + 1
      guard levels.edges[index].isHigh == isHigh else { continue }
      progress.count += 1
      if progress.begins.count < Self.listedMax { progress.begins.append(levels.edges[index].time) }
    }
  }

  // MARK: Never

  func decide(
    never pin: PinTarget, while activity: KnownActivity?, _ record: SessionRecord
  ) -> Decision {
    let levels = record.pin(named: pin.name)
    var periods = [(begin: levels.since, end: record.end ?? record.complete)]
    if let activity {
      periods = record.activities.periods(of: activity, until: record.end ?? record.complete)
    }
    for period in periods {
      var (begin, end) = period
      if activity != nil { (begin, end) = (begin + Self.skew, end - Self.skew) }
      begin = max(begin, progress.settled)
      guard begin <= end, let index = Self.first(pin, levels, from: begin, to: end, record) else {
        continue
      }
      let isFromStart = index < levels.edges.startIndex
      let time = max(begin, isFromStart ? .zero : levels.edges[index].time)
      var note = Self.words(pin, levels, index, record, at: time)
      if let activity {
        note +=
          ", while the sketch was \(activity.words) (from \(period.begin.text) to "
          + "\(period.end.text))"
      }
      var notes = [note]
      if activity != nil, !record.setup.reportsFates {
        notes.append(
          "the device does not show what the sketch does: the model of "
            + "\(record.setup.firmware.rawValue) was fed the same bytes")
      }
      return fails(notes, at: time, record)
    }
    guard record.end != nil else { return .open(until: nil) }
    if let activity, periods.isEmpty, progress.count == 0 {
      return untested("the sketch was never \(activity.words)", record)
    }
    if activity == nil, record.byteCount == 0, !record.hasInputs {
      return untested("no byte and no input was received", record)
    }
    return .holds(after: place)
  }

  mutating func settle(
    never pin: PinTarget, while activity: KnownActivity?, _ record: SessionRecord,
    before instant: Instant
  ) {
    if let activity {
      progress.count += record.activities.periods(of: activity, until: instant).count
    }
    // A pulse or a cycle that is not over can still be a wrong one.
    let edges = record.pin(named: pin.name).edges
    progress.settled = min(instant, edges.suffix(3).first?.time ?? instant)
  }

  /// Returns the index of the change with which something that the target forbids begins; -1 if it
  /// has been so from the start; nil if there is none.
  private static func first(
    _ pin: PinTarget, _ levels: PinRecord, from begin: Instant, to end: Instant,
    _ record: SessionRecord
  ) -> Int? {
    if case .level(let isHigh) = pin.condition, levels.level(at: begin) == isHigh {
      return levels.first(after: begin) - 1
    }
    let first = levels.first(from: begin)
    for index in first..<max(first, levels.first(after: end)) {
      if levels.meets(pin.condition, at: index) { return index }
      // A pulse without its end is already too long.
      if case .pulse(let isHigh, let limits) = pin.condition, limits.most == nil,
        levels.edges[index].isHigh == isHigh, levels.length(at: index) == nil,
        let least = limits.least,
        (record.end ?? record.complete) - levels.edges[index].time >= least
      {
        return index
      }
    }
    return nil
  }

  private static func words(
    _ pin: PinTarget, _ levels: PinRecord, _ index: Int, _ record: SessionRecord, at time: Instant
  ) -> String {
    let label = record.label(ofPin: pin.name)
    switch pin.condition {
    case .level(let isHigh):
      let since = index < levels.edges.startIndex ? "the start" : levels.edges[index].time.text
      let next =
        index + 1 < levels.edges.endIndex ? " to \(levels.edges[index + 1].time.text)" : " on"
      return "\(label) was at \(isHigh ? 1 : 0) from \(since)\(next)"
    case .pulse(let isHigh, _):
      guard let length = levels.length(at: index) else {
        return record.unended(pin.name, isHigh, levels.edges[index].time)
      }
      let begin = levels.edges[index].time.text
      return "\(label) had a pulse of \(String(readable: length)) at \(begin)"
    case .duty:
      let duty = levels.cycle(at: index).map { PinTarget.percent($0.duty) } ?? ""
      return "\(label) was high for \(duty) of a cycle at \(levels.edges[index].time.text)"
    }
  }
}
