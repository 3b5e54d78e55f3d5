import Sketches
import Traces

// The levels of pins that rules are about.
extension SessionRecord {
  /// Returns why a rule about a pin cannot be judged, as a sentence without its full stop; nil if
  /// it can.
  func refusal(ofPin name: String) -> String? {
    guard let pin = setup.pin(named: name) else {
      let profile = setup.profile
      let names = profile.map { ($0.servos + $0.pins).map { $0.name } } ?? []
      let near = Nearest.name(to: name, among: names).map { "; did you mean \"\($0)\"?" }
      let known =
        names.isEmpty
        ? "; pins are D0 to D13 and A0 to A5, or have a name in a profile"
        : "; the profile names \(names.joined(separator: ", "))"
      return "there is no pin \(PlainText.quoted(name)), so the rule could not be tested"
        + (near ?? known)
    }
    guard setup.observes.contains(.pin) else {
      return "the session shows no levels of pins, so the rule could not be tested; a program on "
        + "the emulated chip shows them (--device avr:FILE)"
    }
    guard shows(pin) else {
      return "the session does not show the level of \(pin.name), so the rule could not be tested; "
        + "--pins \(pin.name) adds it"
    }
    return nil
  }

  /// The name of a pin with the pin, for messages: `fire (D7)`, `D7`.
  func label(ofPin name: String) -> String {
    let pin = setup.pin(named: name)?.name ?? name
    return pin == name || BoardPin(name: name) != nil ? pin : "\(name) (\(pin))"
  }

  // MARK: Searching

  /// Returns the given instant, or the first one at which the pin is watched, if the pin then has
  /// the level that the target requires; nil if it has not, or if the target is not a level.
  func has(_ pin: PinTarget, from instant: Instant) -> Instant? {
    guard case .level(let isHigh) = pin.condition else { return nil }
    let levels = self.pin(named: pin.name)
    let begin = max(instant, levels.since)
    return begin <= complete && levels.level(at: begin) == isHigh ? begin : nil
  }

  /// Returns the beginning of a period if a pin has the required level in all of it: no change was
  /// necessary. Nil otherwise, or if the target is not a level.
  func steady(_ target: Target, from begin: Instant, to end: Instant) -> Position? {
    guard case .pin(let pin) = target, let time = has(pin, from: begin) else { return nil }
    if let change = firstChange(of: pin.name, after: time), change <= end { return nil }
    return Position(time: time)
  }

  /// Returns when all pulses or cycles that begin by an instant are known; nil if they already are.
  /// All events by the instant must have been taken.
  func settles(_ pin: PinTarget, by instant: Instant) -> Instant? {
    let levels = self.pin(named: pin.name)
    switch pin.condition {
    case .level: return nil
    case .pulse(let isHigh, let limits):
      guard let index = levels.unfinished(by: instant, isHigh) else { return nil }
      guard let most = limits.most else { return .distantFuture }
      // A longer pulse is not the one.
      let last = levels.edges[index].time + most
      return complete > last ? nil : last
    case .duty:
      return levels.unfinished(by: instant, true, isCycle: true) == nil ? nil : .distantFuture
    }
  }

  /// Returns when a pin's level first changes after an instant; nil if it does not.
  func firstChange(of name: String, after instant: Instant) -> Instant? {
    let levels = pin(named: name)
    let index = levels.first(after: instant)
    return index < levels.edges.endIndex ? levels.edges[index].time : nil
  }

  // MARK: Messages

  /// Says that something has stayed as it was: to the end, or as long as the session is known.
  func rest(from instant: Instant) -> String {
    isSettling ? "at least until \(complete.text)" : "to the end, \((end ?? instant).text)"
  }

  func change(of name: String, at index: Int) -> String {
    "\(label(ofPin: name)) went to \(pin(named: name).edges[index].isHigh ? 1 : 0)"
  }

  /// Describes the level of a pin at an instant, and since when it has had it.
  func standing(of name: String, at instant: Instant) -> String {
    let levels = pin(named: name)
    let label = label(ofPin: name)
    guard let level = levels.level(at: instant) else {
      return
        "the level of \(label) is not known: it is watched since \(levels.since.text), and has "
        + "not changed since then"
    }
    let index = levels.first(after: instant) - 1
    guard index >= levels.edges.startIndex else {
      return "\(label) was at \(level ? 1 : 0) from the start on"
    }
    return "\(label) was at \(level ? 1 : 0) from \(levels.edges[index].time.text) on"
  }

  /// Returns notes on what a pin did instead of what a rule requires.
  func late(_ pin: PinTarget, from begin: Instant, _ limit: Instant) -> [String] {
    let levels = self.pin(named: pin.name)
    let label = label(ofPin: pin.name)
    let end = end ?? complete
    guard let level = levels.level(at: max(begin, levels.since)) else {
      return [standing(of: pin.name, at: end)]
    }
    let next = levels.first(after: begin)
    let watched = levels.since > begin ? [lateWatch(of: pin.name)] : []
    guard next < levels.edges.endIndex else {
      return watched + ["\(label) stayed at \(level ? 1 : 0) \(rest(from: end))"]
    }
    return watched + changes(pin, levels, level, next, from: begin, limit)
  }

  /// Says from when on the levels of a pin are known.
  func lateWatch(of name: String) -> String {
    "\(label(ofPin: name)) is watched only since \(pin(named: name).since.text); "
      + "--pins, or a profile that names the pin, watches it from the start"
  }

  /// Returns notes on the changes of a pin, of which `next` is the first.
  private func changes(
    _ pin: PinTarget, _ levels: PinRecord, _ level: Bool, _ next: Int, from begin: Instant,
    _ limit: Instant
  ) -> [String] {
    let label = label(ofPin: pin.name)
    let end = end ?? complete
    let edges = levels.edges
    switch pin.condition {
    case .level(let isHigh):
      let reached = edges.indices[next...].first { edges[$0].isHigh == isHigh }
      let late =
        reached.map { edges[$0].time }.flatMap { $0 > limit ? $0 - limit : nil }
        .map { ", \(String(readable: $0)) late" } ?? ""
      if reached == next {
        return ["\(label) stayed at \(level ? 1 : 0) until \(edges[next].time.text)\(late)"]
      }
      let left = "\(label) went to \(isHigh ? 0 : 1) at \(edges[next].time.text)"
      guard let reached else { return [left + " and stayed there \(rest(from: end))"] }
      return [left + ", and back to \(isHigh ? 1 : 0) at \(edges[reached].time.text)\(late)"]
    case .pulse(let isHigh, _): return pulses(pin, isHigh, levels, from: begin, limit)
    case .duty:
      guard let index = edges.indices[next...].first(where: { levels.cycle(at: $0) != nil }),
        let (duty, length) = levels.cycle(at: index)
      else {
        return [
          standing(of: pin.name, at: end) + ": no whole cycle followed; a rule about a constant "
            + "level is pin \(pin.name): 0 or 1"
        ]
      }
      return [
        "\(label) was high for \(PinTarget.percent(duty)) of the cycle of "
          + "\(String(readable: length)) at \(edges[index].time.text)"
      ]
    }
  }

  /// The maximum number of pulses in a note.
  private static let pulsesMax = 3

  private func pulses(
    _ pin: PinTarget, _ isHigh: Bool, _ levels: PinRecord, from begin: Instant, _ limit: Instant
  ) -> [String] {
    let label = label(ofPin: pin.name)
    let first = levels.first(from: begin)
    let starts = levels.edges.indices[first...].filter { levels.edges[$0].isHigh == isHigh }
    var notes: [String] = []
    for index in starts.prefix(Self.pulsesMax) {
      let time = levels.edges[index].time
      guard let length = levels.length(at: index) else {
        notes.append(unended(pin.name, isHigh, time))
        break
      }
      var note = "\(label) had a pulse of \(String(readable: length)) at \(time.text)"
      if time > limit { note += ", \(String(readable: time - limit)) late" }
      notes.append(note)
      if levels.meets(pin.condition, at: index) { break }
    }
    if starts.isEmpty {
      let low = levels.edges.indices[first...].first {
        levels.edges[$0].isHigh != isHigh && levels.length(at: $0) != nil
      }
      if let low, let length = levels.length(at: low) {
        notes.append(
          "\(label) went to \(isHigh ? 0 : 1) at \(levels.edges[low].time.text) for "
            + "\(String(readable: length)): that is \"\(isHigh ? "low pulse" : "pulse")\"")
      } else {
        notes.append(standing(of: pin.name, at: end ?? complete) + ": no pulse began")
      }
    }
    return notes
  }

  /// Describes a pulse that the session's end cut off.
  func unended(_ name: String, _ isHigh: Bool, _ begin: Instant) -> String {
    "\(label(ofPin: name)) went to \(isHigh ? 1 : 0) at \(begin.text) and stayed there "
      + "\(rest(from: end ?? complete)): its pulse did not end"
  }
}

/// The level on a pin in the course of a session.
struct PinRecord: Hashable, Sendable {
  struct Edge: Hashable, Sendable {
    var time: Instant
    var isHigh: Bool
  }

  /// From when on the level is known: later than the start if the pin was watched later.
  var since = Instant.zero
  /// The changes, in order of time.
  private(set) var edges: ArraySlice<Edge> = []

  mutating func take(isHigh: Bool, at instant: Instant) {
    guard edges.last?.isHigh != isHigh else { return }
    edges.append(Edge(time: instant, isHigh: isHigh))
  }

  mutating func drop(before instant: Instant, tail: Int) {
    edges.drop(tail: tail) { $0.time < instant }
  }

  /// The level before the first change that is kept. Every pin of a board is low at its start.
  private var initial: Bool? { edges.first.map { !$0.isHigh } ?? (since == .zero ? false : nil) }

  /// Returns the level at an instant, to which the session has advanced; nil if it is not known.
  func level(at instant: Instant) -> Bool? {
    let after = first(after: instant)
    return after > edges.startIndex ? edges[after - 1].isHigh : initial
  }

  /// Returns the index of the first change after an instant.
  func first(after instant: Instant) -> Int { edges.partitioningIndex { $0.time > instant } }

  /// Returns the index of the first change at an instant or later.
  func first(from instant: Instant) -> Int { edges.partitioningIndex { $0.time >= instant } }

  /// Returns how long the level lasts that begins with a change; nil if it has not ended.
  func length(at index: Int) -> Interval? {
    index + 1 < edges.endIndex ? edges[index + 1].time - edges[index].time : nil
  }

  /// Returns the part of the cycle that begins with a change for which the pin is high, in percent,
  /// and the cycle's length; nil if no whole cycle begins there.
  func cycle(at index: Int) -> (duty: Double, length: Interval)? {
    guard edges[index].isHigh, index + 2 < edges.endIndex, let high = length(at: index) else {
      return nil
    }
    let length = edges[index + 2].time - edges[index].time
    guard length > .zero else { return nil }
    return (100 * Double(high.nanoseconds) / Double(length.nanoseconds), length)
  }

  /// Whether the pulse or the cycle that begins with a change is as required, or the level is.
  func meets(_ condition: PinTarget.Condition, at index: Int) -> Bool {
    switch condition {
    case .level(let isHigh): edges[index].isHigh == isHigh
    case .pulse(let isHigh, let limits):
      edges[index].isHigh == isHigh && (length(at: index).map { limits.allow($0) } ?? false)
    case .duty(let limits): cycle(at: index).map { limits.allow($0.duty) } ?? false
    }
  }

  /// Returns the index of the last change by an instant if a pulse or a cycle that is not over
  /// begins with it; nil if none does. `isHigh`: the level of the pulse, or of a cycle's beginning.
  func unfinished(by instant: Instant, _ isHigh: Bool, isCycle: Bool = false) -> Int? {
    let after = first(after: instant)
    for index in edges[..<after].indices.suffix(2).reversed() where edges[index].isHigh == isHigh {
      return index + (isCycle ? 2 : 1) < edges.endIndex ? nil : index
    }
    return nil
  }
}
