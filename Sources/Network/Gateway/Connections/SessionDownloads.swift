import NIOCore

/// The downloads of `/session.jsonl`. The text of a long session is large and takes a while to
/// make, so it is made on another thread, downloads that begin within a second share one copy, and
/// their number is limited. Used only on the event loop.
final class SessionDownloads {
  /// How many downloads there can be at once.
  static let countMax = 4
  /// How long a text that is still being downloaded is given to others, too.
  private static let freshTime = TimeAmount.seconds(1)

  private let loop: NIOIsolatedEventLoop
  private var count = 0
  private var text: (bytes: ByteBuffer, until: NIODeadline)?
  /// The downloads that wait for the text; empty if none is being made.
  private var waiting: [(ByteBuffer) -> Void] = []

  init(on loop: NIOIsolatedEventLoop) { self.loop = loop }

  /// Begins a download, which must be ended by `end`. Returns false if there are too many.
  ///
  /// - Parameters:
  ///   - make: makes the text, on another thread.
  ///   - send: called with the text, perhaps later.
  func begin(
    _ make: @escaping @Sendable () -> [UInt8], then send: @escaping (ByteBuffer) -> Void
  ) -> Bool {
    guard count < Self.countMax else { return false }
    count += 1
    if let text, text.until > .now() {
      send(text.bytes)
      return true
    }
    waiting.append(send)
    guard waiting.count == 1 else { return true }
    let made = loop.nonisolated().makePromise(of: ByteBuffer.self)
    made.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.pass($0) }
    BlockingThread.run {
      made.succeed(ByteBuffer(bytes: make()))
    } done: {
    }
    return true
  }

  /// Ends a download.
  func end() {
    count -= 1
    if count == 0 { text = nil }
  }

  private func pass(_ bytes: ByteBuffer) {
    let senders = waiting
    waiting = []
    // All of them may have left meanwhile.
    if count > 0 { text = (bytes, .now() + Self.freshTime) }
    for send in senders { send(bytes) }
  }
}
