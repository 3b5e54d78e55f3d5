package import Turret

// The session of a scenario that sends bytes in virtual time.
extension Scenario {
  /// How long it goes on after the last byte, unless a rule needs more.
  private static let rest = Interval.seconds(2)

  /// When the session ends: at `for`, or as soon as every rule can be judged.
  package func end(baud: Int) -> Instant {
    if let length { return .zero + length }
    let last = sentEnd(baud: baud)
    var end = last + Self.rest
    for rule in rules {
      switch rule.requirement {
      case .reaches(let reach):
        if let before = reach.before { end = max(end, before) }
        if let within = reach.within { end = max(end, last + within) }
      case .quiet(let length): end = max(end, last + Self.rest + length)
      case .exactly, .never, .angles, .rate, .gap, .commands, .ends, .golden, .sender: break
      }
    }
    return end
  }

  /// When the last of the bytes has left the line.
  package func sentEnd(baud: Int) -> Instant {
    guard case .bytes(let sent) = sender else { return .zero }
    let byteTime = ByteClock.byteTime(baud: baud)
    var free = Instant.zero
    for record in sent {
      let length = byteTime.nanoseconds * Int64(record.bytes.count)
      free = max(free, record.time) + Interval(nanoseconds: length)
    }
    return free
  }

  /// Whether a rule speaks of the pulses on the pin.
  package var needsPulses: Bool {
    rules.contains { $0.targets.contains { $0.kind == .pulse } }
  }
}
