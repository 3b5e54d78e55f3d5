package import Turret

// The session of a scenario that sends bytes in virtual time.
extension Scenario {
  /// Returns when the last byte has left the line; zero if the sender is a command.
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
}
