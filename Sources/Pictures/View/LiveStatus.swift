import Devices
package import Turret

/// All that the view of a live session shows, at one moment.
package struct LiveStatus: Hashable, Sendable {
  /// How many bytes and commands there have been.
  package struct Counts: Hashable, Sendable {
    /// Bytes that a sender wrote.
    package var received = 0
    /// Bytes that still wait to go over the line.
    package var waitingOnLine = 0
    /// Bytes that wait in the board's ring; nil where that cannot be known.
    package var waitingInRing: Int?
    /// Letters that the sketch took as commands; nil where nobody sees what it makes of its bytes.
    package var commands: Int? = 0
    /// Bytes that never reached the sketch, for each cause.
    package var lost: [Output.Loss: Int] = [:]
    /// Bytes from the board that the sender can read.
    package var transmitted = 0
    /// Bytes from the board that nobody took in time.
    package var transmitDropped = 0

    package init() {}
  }

  /// How late the bench woke up.
  package struct Lateness: Hashable, Sendable {
    package var count: Int
    package var median: Interval
    package var percentile99: Interval
    package var worst: Interval

    package init(count: Int, median: Interval, percentile99: Interval, worst: Interval) {
      self.count = count
      self.median = median
      self.percentile99 = percentile99
      self.worst = worst
    }
  }

  /// The path a sender opens: the link, which stays the same.
  package var port: String
  /// What the device is: `model`, a board's port.
  package var device: String
  package var firmware: Firmware
  /// The board's speed, bits a second.
  package var baud: Int
  /// The sender's speed, bits a second.
  package var senderBaud: Int
  /// How many programs have the port open.
  package var clients = 0
  /// The file that the session is written to; nil where it is not.
  package var recording: String?
  /// Virtual time.
  package var time = Instant.zero

  /// The commanded angle, degrees; nil before the first, and where it cannot be known.
  package var commandedDegrees: UInt8?
  /// The commanded pulse.
  package var commandedMicroseconds: UInt16?
  /// Where the shaft is, degrees; nil where that cannot be known.
  package var shaftDegrees: Double?
  /// Whether the shaft is on its way, so that the next frame shows it elsewhere.
  package var isShaftMoving = false
  /// What the sketch is doing; nil where that cannot be known.
  package var activity: Activity?
  /// The tone that sounds; nil: none.
  package var toneHertz: Double?

  package var counts = Counts()
  /// The last bytes and their fates, newest last.
  package var recent: [Ledger.Entry] = []
  package var lateness: Lateness?
  /// Lines to copy into another terminal.
  package var hints: [String] = []
  /// What the keys do; nil: nothing.
  package var keys: String?
  /// The last warning.
  package var notice: String?

  package init(port: String, device: String, firmware: Firmware, baud: Int) {
    self.port = port
    self.device = device
    self.firmware = firmware
    self.baud = baud
    senderBaud = baud
  }

  /// So long after the last byte what is told of it may still change by itself.
  private static let settlingTime = Interval.milliseconds(250)

  /// Whether a later frame may look otherwise though nothing else happens.
  package var changesByItself: Bool {
    isShaftMoving || recent.last.map { time - $0.arrived < Self.settlingTime } ?? false
  }

  /// Whether aims come so quickly, as a camera sends them, that each by itself says nothing.
  var isFollowing: Bool {
    let aims = recent.suffix(24).filter {
      $0.fate == .terminator && time - $0.arrived < Self.settlingTime
    }
    return aims.count >= 3
  }

  /// The same with the time as it is shown, in whole seconds: equal where a view would be.
  package var asShown: LiveStatus {
    var status = self
    status.time.nanoseconds -= time.nanoseconds % 1_000_000_000
    return status
  }
}
