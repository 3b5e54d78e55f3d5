package import Platform
package import Sketches

/// Decides when a client is pinged, and when it counts as gone. The time is passed in.
///
/// All received data is a sign of life, so a long message on a slow link is not mistaken for
/// silence. Time in which this end did not read, or did not run, does not count against the client;
/// but it is still pinged, because the system of a program that is gone answers with a reset.
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
  /// The same while this end does not read.
  private let heldPingPeriod: Interval?
  private let answerTime: Interval
  private let idleTime: Interval?
  private var heard: Instant
  private var pinged: Instant
  private var isReading = true
  /// When `tick` must be called next.
  package private(set) var due = Instant.zero

  /// - Parameters:
  ///   - pingPeriod: nil for a client that cannot be pinged.
  ///   - heldPingPeriod: the period while this end does not read; nil for `pingPeriod`.
  ///   - answerTime: at least two periods, so that a client is pinged before it is given up.
  ///   - idleTime: nil for no limit.
  package init(
    pingPeriod: Interval?, heldPingPeriod: Interval? = nil, answerTime: Interval,
    idleTime: Interval?, at start: Instant
  ) {
    self.pingPeriod = pingPeriod
    self.heldPingPeriod = heldPingPeriod ?? pingPeriod
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
    due = next(after: now)
  }

  package mutating func tick(at now: Instant) -> Action {
    defer { due = next(after: now) }
    let late = now - due
    if late > pingPeriod ?? .seconds(1) { heard = min(heard + late, now) }
    if isReading {
      if pingPeriod != nil, now - heard >= answerTime { return .silent }
      if let idleTime, now - heard >= idleTime { return .idle }
    } else {
      heard = now
    }
    guard let period, now - pinged >= period else { return .wait }
    pinged = now
    return .ping
  }

  private var period: Interval? { isReading ? pingPeriod : heldPingPeriod }

  private func next(after now: Instant) -> Instant {
    var next = Instant.distantFuture
    if let period { next = min(pinged + period, heard + answerTime) }
    if let idleTime { next = min(next, heard + idleTime) }
    return max(next, now + .milliseconds(1))
  }
}

/// Makes the kernel detect that the other end of a TCP connection is gone.
package enum KeepAlive {
  /// The options that end a connection after about `time` if nothing arrives from the other end,
  /// not even the kernel's acknowledgements. The kernel counts in seconds.
  package static func options(_ time: Interval) -> [SocketOption] {
    let seconds = max(Int(time.nanoseconds / 1_000_000_000), 1)
    return probes(idleSeconds: max(seconds / 2, 1), count: max(seconds - seconds / 2, 1))
      + [tcp(writeTime.name, Int(time.nanoseconds / 1_000_000) / writeTime.unit)]
  }

  /// Sends a probe each second after a time of silence, and ends the connection after this many
  /// unanswered ones.
  static func probes(idleSeconds: Int, count: Int) -> [SocketOption] {
    [
      SocketOption(level: SOL_SOCKET, name: SO_KEEPALIVE, value: 1), tcp(idleTime, idleSeconds),
      tcp(TCP_KEEPINTVL, 1), tcp(TCP_KEEPCNT, count),
    ]
  }

  private static func tcp(_ name: CInt, _ value: Int) -> SocketOption {
    SocketOption(level: CInt(IPPROTO_TCP), name: name, value: CInt(clamping: max(value, 1)))
  }

  // How long written data can remain unacknowledged, in units of so many milliseconds.
  #if canImport(Darwin)
    private static let idleTime = TCP_KEEPALIVE
    private static let writeTime = (name: TCP_RXT_CONNDROPTIME, unit: 1_000)
  #else
    private static let idleTime = TCP_KEEPIDLE
    private static let writeTime = (name: TCP_USER_TIMEOUT, unit: 1)
  #endif
}
