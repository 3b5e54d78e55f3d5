import Sketches

/// The bytes for a board that have not been sent yet, with the changes of the sender's speed
/// between them. A change of speed waits for the bytes before it, as it would on a line.
///
/// An outbox decides what to do with the port next and never waits. The caller reports what it has
/// done.
struct Outbox: Hashable, Sendable {
  enum Step: Hashable {
    case write(ArraySlice<UInt8>)
    /// Once everything written has been sent.
    case setSpeed(Int)
    case nothing
  }

  /// Bytes with the same speed.
  private struct Run: Hashable {
    var baud: Int
    var bytes: [UInt8] = []

    var time: Interval { Outbox.time(of: bytes.count, at: baud) }
  }

  /// The maximum number of bytes to write at once, which is more than ports have room for.
  private static let writeMax = 16_384

  /// Oldest first. Only the last can be empty; it has the speed of the bytes put in next.
  private var runs: [Run]
  /// The port's speed, in bits a second.
  private(set) var portBaud: Int
  /// When the line will have carried everything written so far.
  private(set) var portFree: Instant

  /// Creates an outbox for a port at `baud` bits a second whose line is free from an instant on.
  init(baud: Int, freeAt instant: Instant = .zero) {
    runs = [Run(baud: baud)]
    portBaud = baud
    portFree = instant
  }

  /// The speed of the bytes put in next, in bits a second.
  var baud: Int {
    get { runs[runs.count - 1].baud }
    set {
      if runs[runs.count - 1].bytes.isEmpty { runs.removeLast() }
      if runs.last?.baud != newValue { runs.append(Run(baud: newValue)) }
    }
  }

  mutating func put(_ bytes: [UInt8]) { runs[runs.count - 1].bytes += bytes }

  /// When the line will have carried everything, if the board accepts it.
  func free(at now: Instant) -> Instant { runs.reduce(max(portFree, now)) { $0 + $1.time } }

  /// The number of bytes that the line has not carried yet.
  func count(at now: Instant) -> Int {
    let left = max(portFree - now, .zero).nanoseconds
    let onTheLine = (left * Int64(portBaud) + 9_999_999_999) / 10_000_000_000
    return runs.reduce(Int(onTheLine)) { $0 + $1.bytes.count }
  }

  /// The number of bytes that have not been written yet.
  var unwrittenCount: Int { runs.reduce(0) { $0 + $1.bytes.count } }

  var step: Step {
    let run = runs[0]
    if run.baud != portBaud { return .setSpeed(run.baud) }
    return run.bytes.isEmpty ? .nothing : .write(run.bytes.prefix(Self.writeMax))
  }

  /// Records that this many bytes were written.
  mutating func wrote(_ count: Int, at now: Instant) {
    portFree = max(portFree, now) + Self.time(of: count, at: portBaud)
    runs[0].bytes.removeFirst(count)
    if runs[0].bytes.isEmpty, runs.count > 1 { runs.removeFirst() }
  }

  /// Records that the port's speed was set.
  mutating func didSetSpeed() { portBaud = runs[0].baud }

  /// Ten bits for each byte, 8N1.
  private static func time(of count: Int, at baud: Int) -> Interval {
    .nanoseconds(Int64(count) * 10_000_000_000 / Int64(baud))
  }
}
