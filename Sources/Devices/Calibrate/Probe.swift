package import Sketches
import Traces

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

/// Repeated measurements of one length of time.
package struct Samples: Hashable, Sendable {
  private var values: [Interval] = []

  package init() {}

  package init(_ values: [Interval]) { self.values = values }

  package mutating func add(_ value: Interval) { values.append(value) }

  package var count: Int { values.count }

  /// The mean, rounded to whole nanoseconds; zero without samples.
  package var mean: Interval {
    guard !values.isEmpty else { return .zero }
    let sum = values.reduce(Int64(0)) { $0 + $1.nanoseconds }
    return .nanoseconds(Int64((Double(sum) / Double(values.count)).rounded()))
  }

  /// The difference between the longest and the shortest.
  package var spread: Interval {
    guard let least = values.min(), let most = values.max() else { return .zero }
    return most - least
  }
}

/// Creates boards for calibration. Throws if one does not behave as expected.
struct CalibrationStand<Source: DeviceSource> {
  typealias Board = Probe<Source.Made>

  let source: Source
  let firmware: Firmware
  /// The program's name, for messages.
  let name: String
  /// How often each figure is measured.
  let rounds: Int

  /// Returns a board that is reset at time 0.
  func probe(showsPulses: Bool = false) throws(DeviceError) -> Board {
    let header = Header(firmware: firmware, duration: nil, title: nil)
    let device = try source.makeDevice(
      for: header, firmware: firmware, showsPulses: showsPulses)
    return Probe(device, baud: header.baud)
  }

  /// Returns a round's offset. The offsets spread events over every period on the chip: a count of
  /// its clock (4 us), the clock's overflow (1.024 ms) and the servo's period (20 ms).
  func phase(_ round: Int) -> Interval {
    .nanoseconds(Int64(round) * 7_387_217 % 20_000_000)
  }

  /// Returns the next output of a kind. Throws if there is none.
  func output(
    _ kind: Output.Kind, _ probe: inout Board, within limit: Interval, after what: String
  ) throws(DeviceError) -> Instant {
    guard let found = try probe.next(kind, by: probe.now + limit) else {
      throw unexpected("a \(kind.name) event \(what)", "none in \(String(shortest: limit)) s")
    }
    return found.time
  }

  /// Returns when the servo is aimed at an angle. Other writes can precede it. Throws if it never
  /// is.
  func servo(
    _ degrees: UInt8, _ probe: inout Board, within limit: Interval = Calibration.patience,
    after what: String
  ) throws(DeviceError) -> Instant {
    let end = probe.now + limit
    while let found = try probe.next(.servo, by: end) {
      if case .servo(degrees, _, nil) = found.output { return found.time }
    }
    throw unexpected("servo \(degrees) \(what)", "none in \(String(shortest: limit)) s")
  }

  /// Aims, and waits until that is done and the board is quiet.
  func aim(_ degrees: UInt8, _ probe: inout Board) throws(DeviceError) {
    _ = probe.send("X\(degrees).", after: .zero)
    _ = try servo(degrees, &probe, after: "after X\(degrees).")
    try probe.run(to: probe.now + Calibration.settling)
  }

  func unexpected(_ expected: String, _ found: String) -> DeviceError {
    DeviceError(
      .unavailable,
      "\(name): error: expected \(expected) from a \(firmware.rawValue) sketch, found \(found): "
        + "is it one, at 9600 baud? --firmware selects it")
  }
}
