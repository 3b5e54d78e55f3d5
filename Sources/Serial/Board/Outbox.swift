import Turret

/// What goes to a board and is not out yet: bytes, and between them changes of the sender's speed,
/// which wait for the bytes before them as those do on a line.
///
/// It decides what the port is to do next and never waits; who has done it says so.
struct Outbox: Hashable, Sendable {
  enum Step: Hashable {
    case write(ArraySlice<UInt8>)
    /// Once all that was written is out.
    case setSpeed(Int)
    case nothing
  }

  /// Bytes of one speed.
  private struct Run: Hashable {
    var baud: Int
    var bytes: [UInt8] = []

    var time: Interval { Outbox.time(of: bytes.count, at: baud) }
  }

  /// At most so much is written at once: more than ports have room for.
  private static let writeMax = 16_384

  /// The oldest first. Only the last may be empty: it has the speed of what comes next.
  private var runs: [Run]
  /// The port's speed, bits a second.
  private(set) var portBaud: Int
  /// When the line will have carried what was written.
  private(set) var portFree: Instant

  /// For a port at `baud` bits a second whose line is free from an instant on.
  init(baud: Int, freeAt instant: Instant = .zero) {
    runs = [Run(baud: baud)]
    portBaud = baud
    portFree = instant
  }

  /// The speed of what is put in next, bits a second.
  var baud: Int {
    get { runs[runs.count - 1].baud }
    set {
      if runs[runs.count - 1].bytes.isEmpty { runs.removeLast() }
      if runs.last?.baud != newValue { runs.append(Run(baud: newValue)) }
    }
  }

  mutating func put(_ bytes: [UInt8]) { runs[runs.count - 1].bytes += bytes }

  /// When the line will have carried all that is in here, where the board takes it.
  func free(at now: Instant) -> Instant { runs.reduce(max(portFree, now)) { $0 + $1.time } }

  /// How many bytes have not been carried.
  func count(at now: Instant) -> Int {
    let left = max(portFree - now, .zero).nanoseconds
    let onTheLine = (left * Int64(portBaud) + 9_999_999_999) / 10_000_000_000
    return runs.reduce(Int(onTheLine)) { $0 + $1.bytes.count }
  }

  /// How many bytes have not been written.
  var unwrittenCount: Int { runs.reduce(0) { $0 + $1.bytes.count } }

  var step: Step {
    let run = runs[0]
    if run.baud != portBaud { return .setSpeed(run.baud) }
    return run.bytes.isEmpty ? .nothing : .write(run.bytes.prefix(Self.writeMax))
  }

  /// So many bytes of what was to be written have been.
  mutating func wrote(_ count: Int, at now: Instant) {
    portFree = max(portFree, now) + Self.time(of: count, at: portBaud)
    runs[0].bytes.removeFirst(count)
    if runs[0].bytes.isEmpty, runs.count > 1 { runs.removeFirst() }
  }

  /// The port has got the speed it was to be set to.
  mutating func didSetSpeed() { portBaud = runs[0].baud }

  /// Ten bits a byte, 8N1.
  private static func time(of count: Int, at baud: Int) -> Interval {
    .nanoseconds(Int64(count) * 10_000_000_000 / Int64(baud))
  }
}
