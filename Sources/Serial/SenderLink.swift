package import Sketches

/// A way in which a sender reaches the board's line next to the pty, such as a port over TCP. It
/// keeps what its sender has sent until the line takes it. Used in the turns of one bench.
package protocol SenderLink: AnyObject {
  /// Where senders find it, as they write it.
  var urls: [String] { get }
  /// The environment variable in which a command after `--` finds the first of them.
  var variable: String { get }

  /// Whether a sender has it open.
  var isOpen: Bool { get }
  /// The speed at which it passes the board's bytes on, in bits a second; nil without a reader.
  var readerBaud: Int? { get }
  /// The format in which it does.
  var readerFormat: LineFormat { get }
  /// The number of bytes that wait for the line.
  var waitingCount: Int { get }
  /// The lowest speed that waits for the line, in bits a second; nil if none waits.
  var slowestWaiting: Int? { get }
  /// Whether bytes still wait for its reader, which is too slow.
  var needsRetry: Bool { get }
  /// The descriptors that become readable when `takeNews` must be called.
  var descriptors: [CInt] { get }
  /// When `takeNews` must be called even if nothing arrives; nil for never.
  var deadline: HostTime? { get }

  /// Takes what has arrived. Returns what has happened since the last call, in order.
  func takeNews() -> [LinkNews]
  /// Removes and returns what is next on the line, with at most `room` bytes.
  func takeForLine(room: Int) -> [LineItem]
  /// Writes the board's bytes for its reader. Returns how many there was room for.
  func write(_ bytes: [UInt8]) -> Int
  /// Called at the end of a turn. `isIdle` is whether no byte is on the line.
  func settle(isIdle: Bool)
}

/// What has happened on a link.
package enum LinkNews: Hashable, Sendable {
  /// DTR was set, which restarts a board that is wired like an Uno.
  case dtr
  /// A line for the user.
  case remark(String)
  /// A line for a user who asked for details.
  case detail(String)
}

// A link without a reader, and with bytes at one speed only, has none of these.
extension SenderLink {
  package var readerBaud: Int? { nil }
  package var readerFormat: LineFormat { .standard }
  package var slowestWaiting: Int? { nil }
  package var needsRetry: Bool { false }
  package var deadline: HostTime? { nil }
  package func write(_ bytes: [UInt8]) -> Int { 0 }
  package func settle(isIdle: Bool) {}
}
