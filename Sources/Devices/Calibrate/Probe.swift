import Turret

/// A device under test and its outputs. A copy continues independently, so that the effect of
/// another stimulus can be tried.
struct Probe<D: Device> {
  /// The step in which the probe looks for an answer.
  private static var look: Interval { .microseconds(500) }
  let baud: Int
  private(set) var now = Instant.zero
  /// When everything sent so far has left the line.
  private var lineFree = Instant.zero
  private var device: D
  private var recorder = Recorder()

  init(_ device: D, baud: Int) {
    self.device = device
    self.baud = baud
  }

  /// Returns how long `count` bytes take on the line.
  func lineTime(_ count: Int) -> Interval {
    var clock = ByteClock(baud: baud, startingAt: .zero)
    for _ in 0..<count { clock.advance() }
    return clock.instant - .zero
  }

  /// Sends bytes back to back so that the stop bit of the last ends at `end`. The first must not
  /// begin in the past or while the line is busy.
  mutating func send(_ text: String, arrivingAt end: Instant) {
    let bytes = Array(text.utf8)
    let start = end - lineTime(bytes.count)
    precondition(start >= now && start >= lineFree, "a stimulus begins in the future")
    device.send(bytes, at: start)
    lineFree = end
  }

  /// Sends bytes after at least a pause on the line. Returns when the last stop bit ends.
  mutating func send(_ text: String, after pause: Interval) -> Instant {
    let end = max(now, lineFree) + pause + lineTime(text.utf8.count)
    send(text, arrivingAt: end)
    return end
  }

  mutating func run(to end: Instant) throws(DeviceError) {
    guard end > now else { return }
    device.advance(to: end, into: &recorder)
    now = end
    if let fault = device.fault { throw fault }
  }

  /// Returns the next unread output of a kind and discards all before it; nil if none arrives by
  /// `end`.
  mutating func next(
    _ kind: Output.Kind, by end: Instant
  ) throws(DeviceError) -> TimedOutput? {
    while true {
      if let found = takeFirst(kind) { return found.time <= end ? found : nil }
      guard now < end else { return nil }
      try run(to: min(now + Self.look, end))
    }
  }

  /// Returns all unread outputs.
  mutating func takeAll() -> [TimedOutput] {
    defer { recorder.drain() }
    return recorder.outputs
  }

  private mutating func takeFirst(_ kind: Output.Kind) -> TimedOutput? {
    guard let index = recorder.outputs.firstIndex(where: { $0.output.kind == kind }) else {
      return nil
    }
    let found = recorder.outputs[index]
    let rest = recorder.outputs[(index + 1)...]
    recorder.drain()
    for later in rest { recorder.put(later.output, at: later.time) }
    return found
  }
}
