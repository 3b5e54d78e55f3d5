package import Turret

/// Decides when a client is pinged, and when it counts as gone. The time is passed in.
///
/// All received data is a sign of life, so a long message on a slow link is not mistaken for
/// silence. Time in which this end did not read, or did not run, does not count against the client.
package struct Heartbeat: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case ping
    /// Neither a ping's answer nor anything else has arrived for too long.
    case silent
    /// Nothing has arrived for longer than the idle time.
    case idle
    case wait
  }

  /// nil if this client is not pinged, so that its silence means nothing.
  private let pingPeriod: Interval?
  private let answerTime: Interval
  private let idleTime: Interval?
  private var heard: Instant
  private var pinged: Instant
  private var isReading = true
  /// When `tick` must be called next.
  package private(set) var due = Instant.zero

  /// - Parameters:
  ///   - pingPeriod: nil for a client that cannot be pinged.
  ///   - answerTime: at least two periods, so that a client is pinged before it is given up.
  ///   - idleTime: nil for no limit.
  package init(pingPeriod: Interval?, answerTime: Interval, idleTime: Interval?, at start: Instant)
  {
    self.pingPeriod = pingPeriod
    self.answerTime = pingPeriod.map { max(answerTime, $0 + $0) } ?? answerTime
    self.idleTime = idleTime
    heard = start
    pinged = start
    due = next(after: start)
  }

  package mutating func hear(at now: Instant) { heard = now }

  package mutating func read(_ isReading: Bool, at now: Instant) {
    self.isReading = isReading
    heard = now
  }

  package mutating func tick(at now: Instant) -> Action {
    defer { due = next(after: now) }
    let late = now - due
    if late > pingPeriod ?? .seconds(1) { heard = min(heard + late, now) }
    guard isReading else {
      heard = now
      return .wait
    }
    if pingPeriod != nil, now - heard >= answerTime { return .silent }
    if let idleTime, now - heard >= idleTime { return .idle }
    guard let pingPeriod, now - pinged >= pingPeriod else { return .wait }
    pinged = now
    return .ping
  }

  private func next(after now: Instant) -> Instant {
    var next = Instant.distantFuture
    if let pingPeriod {
      // While nothing is read, no ping is sent, so the last one can be long ago.
      let latest = isReading ? pinged : now
      next = min(latest + pingPeriod, heard + answerTime)
    }
    if let idleTime { next = min(next, heard + idleTime) }
    return max(next, now + .milliseconds(1))
  }
}
