package import Devices
import Platform
package import Sketches
import Synchronization
import Traces

/// A real board at the other end of a port, in real time.
///
///     starting ──bootloader's time──▶ at work ──port gone, or guarded does not answer──▶ at fault
///        ▲                              │
///        └────────────reset─────────────┘
///
/// Time 0 is when the sketch starts. If the port cannot restart the board, or must not, time 0 is
/// when the session began. Only the bytes that classic and buzzer send can be observed; guarded
/// reports every servo write with the time of its own clock.
package struct BoardDevice: RealTimeDevice {
  /// Nil while the board has not been plugged in yet.
  private let port: (any BoardPort)?
  /// The computer's time at the session's time 0.
  package let zero: HostTime
  /// The board's speed in bits a second.
  private let baud: Int
  package let bootTime: Interval
  private var telemetry: GuardedTelemetry?
  private let lease: TelemetryLease?
  /// When to turn telemetry on; nil if that is done or not needed.
  private var telemetryStart: Instant?
  /// When the sketch begins to receive.
  private var sketchStart: Instant
  private var outbox: Outbox
  /// The sender's format.
  private var format = LineFormat.standard
  /// Bytes that the caller has read from the port.
  private var inbox: [UInt8] = []
  /// When to read the port next. If the caller reads it too, only every `lookPeriod`.
  private var nextLook = Instant.zero
  private var isReadElsewhere = false
  private static let lookPeriod = Interval.milliseconds(20)
  private static let muchRead = 1_024
  /// When to retry a write to a port that was full. Waiting until it is writable would require
  /// another thread when a network event loop does the waiting, and switching threads takes longer
  /// than a pty takes to make room.
  private var nextTry = Instant.zero
  private var retryPeriod = Self.retryPeriodMin
  private static let retryPeriodMin = Interval.microseconds(500)
  private var arrivals: ArrivalClock
  private var held = BoardOutputs()
  private var lastServo: (time: Instant, degrees: UInt8)?
  /// The angle that a sweep would write next; nil if the servo does not move as in a sweep.
  private var sweep: (next: UInt8, rising: Bool)?
  package let capabilities: DeviceCapabilities
  package private(set) var fault: DeviceError?

  package static func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    firmware.sketch.hasTelemetry ? [.servo, .transmit] : [.transmit]
  }

  /// Takes over a port that has just been opened.
  ///
  /// - Parameter resets: whether to restart the board, if the port can, and wait for its
  ///   bootloader.
  /// - Parameter opensWithReset: whether opening the port has restarted the board.
  package init(
    _ port: any BoardPort, firmware: Firmware, baud: Int, resets: Bool, opensWithReset: Bool,
    bootTime: Interval
  ) throws(SerialError) {
    var start = Header.Start.unknown
    var isOn = false
    let zero: HostTime
    if resets, try port.pulseReset() || opensWithReset {
      start = .reset
      zero = .now + bootTime
      zero.sleep()
      // Discard what the bootloader may have sent.
      port.discardInput()
    } else {
      if firmware.sketch.hasTelemetry { isOn = try Self.reportsWrites(port) }
      zero = .now
    }
    self.init(port, firmware, baud: baud, start, since: zero, bootTime: bootTime, isOn: isOn)
    guard telemetry != nil else { return }
    beginTelemetry(at: .zero)
    flush()
  }

  /// A board that has not been plugged in yet. What it does before that is unknown; its observation
  /// begins with its first reset.
  package init(absent error: DeviceError, firmware: Firmware, baud: Int) {
    self.init(nil, firmware, baud: baud, .unknown, since: .now, bootTime: .zero)
    fault = DeviceError(.gone, error.description)
  }

  /// Takes over the port of a board that was unplugged and reconnected during a session whose time
  /// 0 was at `zero`. Plugging it in and opening its port has just restarted it.
  package init(
    rejoining port: any BoardPort, since zero: HostTime, firmware: Firmware, baud: Int,
    bootTime: Interval
  ) {
    let now = Instant.zero + (HostTime.now - zero)
    self.init(
      port, firmware, baud: baud, .reset, since: zero, bootTime: bootTime,
      sketchStart: now + bootTime)
    outbox = Outbox(baud: baud, freeAt: now)
  }

  private init(
    _ port: (any BoardPort)?, _ firmware: Firmware, baud: Int, _ start: Header.Start,
    since zero: HostTime, bootTime: Interval, sketchStart: Instant = .zero, isOn: Bool = false
  ) {
    self.port = port
    self.zero = zero
    self.baud = baud
    self.bootTime = bootTime
    self.sketchStart = sketchStart
    arrivals = ArrivalClock(baud: baud)
    outbox = Outbox(baud: baud)
    capabilities = Self.capabilities(of: firmware, start: start)
    guard let port, firmware.sketch.hasTelemetry else {
      lease = nil
      return
    }
    lease = TelemetryLease(port)
    telemetry = GuardedTelemetry(baud: baud, isOn: isOn)
    telemetryStart = sketchStart
  }

  static func capabilities(of firmware: Firmware, start: Header.Start) -> DeviceCapabilities {
    .realTime(observing: observes(firmware), start: start, lag: lag)
  }

  package var origin: HostTime? { zero }
  /// A line can wait for 52 bytes before it and has 11 of its own, which takes 66 ms; the rest
  /// allows for the computer.
  private static let lag = Interval.milliseconds(150)
  package var descriptor: CInt? { port?.descriptor }
  package var nextDeadline: Instant? { nil }
  package var onTheWayCount: Int { outbox.count(at: now) }
  package var backlogCount: Int { outbox.unwrittenCount }
  package var untakenCount: Int { outbox.unwrittenCount + (port?.outputCount ?? 0) }
  /// All that can be observed is whether the servo moves as in a sweep.
  package var activity: Activity? { sweep.map { .scanning(next: $0.next, rising: $0.rising) } }

  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    guard fault == nil else { return }
    let bytes = format == .standard ? bytes : SerialLine.bytes(of: bytes, in: format)
    let begin = outbox.free(at: instant)
    let firstEnd = begin + arrivals.byteTime
    let filtered = telemetry?.filter(bytes, firstEnd: firstEnd, listensFrom: sketchStart) ?? bytes
    lease?.keep(telemetry?.isLeftOn ?? false)
    outbox.put(filtered)
    flush()
  }

  /// Sets the sender's speed. A port has the same speed in both directions, so while it differs
  /// from the board's, the board's bytes cannot be read here, just as the sender could not read
  /// them.
  package mutating func setSenderBaud(_ baud: Int) {
    outbox.baud = baud
    flush()
  }

  /// Sets the sender's format. The port itself stays at 8N1: it sends what a UART in 8N1 receives
  /// of the sender's frames.
  package mutating func setSenderFormat(_ format: LineFormat) { self.format = format }

  /// The port sends no break, but the byte that a UART receives of one.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    if length > .zero { send([0], at: instant) }
  }

  package mutating func addFramingError(to byte: UInt8) {}

  package mutating func arrived(_ bytes: [UInt8]) {
    isReadElsewhere = !bytes.isEmpty
    let bytes = port?.decode(bytes) ?? bytes
    if inbox.isEmpty { inbox = bytes } else { inbox += bytes }
  }

  /// Restarts the board. The bootloader takes its own time, regardless of `deadTime`. The pulse on
  /// DTR ends, and the board starts, a tenth of a second after `instant`.
  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    let isDone = attempt { (port) throws(SerialError) in try port.pulseReset() }
    guard let isDone, let port else { return }
    guard isDone else {
      fault = DeviceError(
        .unavailable,
        "\(port.path): error: the session restarts the board, but this port has no modem line to "
          + "do that with"
      )
      return
    }
    collect()
    sketchStart = now + bootTime
    telemetry?.restart()
    lease?.keep(true)
    telemetryStart = telemetry == nil ? nil : sketchStart
    lastServo = nil
    sweep = nil
  }

  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while fault == nil {
      // Everything that happened more than the lag before `now` has arrived by now.
      let now = now
      collect()
      if let telemetryStart, telemetryStart <= now { beginTelemetry(at: now) }
      flush()
      telemetry?.expire(at: now) { output, time in held.insert(output, at: time) }
      if telemetry?.isOverdue(at: now) == true {
        let doubt =
          capabilities.start == .reset
          ? "does its bootloader take longer (--boot-time)"
          : "did opening the port restart it (stty -hupcl keeps DTR up)"
        fault = DeviceError(
          .unavailable,
          "\(port?.path ?? "board"): error: the board does not answer as guarded does: "
            + "is another sketch on it (--firmware), or \(doubt)?"
        )
      }
      release(before: now - Self.lag, into: &recorder)
      guard now < end, fault == nil else { break }
      wait(until: min(end, telemetryStart ?? end))
    }
    if fault != nil { release(before: .distantFuture, into: &recorder) }
  }

  /// What a real port has received at this speed is what it has sampled already.
  package var sendingBaud: Int? { outbox.portBaud }

  package mutating func takeForSender() -> SentBytes? {
    SentBytes(held.takeForSender(), baud: outbox.portBaud)
  }

  /// How soon to call again, to release held outputs and to retry a write to a full port.
  package var patience: Interval? {
    if fault == nil, case .write = outbox.step { retryPeriod } else { Self.lookPeriod }
  }

  package mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {
    held.setShowsTransmits(showsTransmits, from: instant)
  }

  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { [] }

  // MARK: -

  private var now: Instant { .zero + (HostTime.now - zero) }

  /// Runs an operation on the port. Returns nil, and sets `fault`, if it fails.
  @discardableResult
  private mutating func attempt<Result>(
    _ deed: (any BoardPort) throws(SerialError) -> Result
  ) -> Result? {
    guard let port, fault == nil else { return nil }
    do throws(SerialError) {
      return try deed(port)
    } catch {
      fault = DeviceError(error)
      return nil
    }
  }

  private mutating func beginTelemetry(at now: Instant) {
    telemetryStart = nil
    let begin = outbox.free(at: now)
    guard
      let bytes = telemetry?.begin(
        at: begin, sketchStart: capabilities.start == .reset ? sketchStart : nil)
    else { return }
    lease?.keep(telemetry?.isLeftOn ?? false)
    // The bench itself communicates at the board's speed, whatever the sender's.
    let senderBaud = outbox.baud
    outbox.baud = baud
    outbox.put(bytes)
    outbox.baud = senderBaud
  }

  /// Performs the port operations that are possible without waiting.
  private mutating func flush() {
    while fault == nil {
      switch outbox.step {
      case .nothing: return
      case .write(let bytes):
        let now = now
        guard now >= nextTry else { return }
        let count = attempt { (port) throws(SerialError) in try port.write(bytes) } ?? 0
        outbox.wrote(count, at: now)
        retryPeriod =
          count > 0 ? Self.retryPeriodMin : min(retryPeriod + retryPeriod, Self.lookPeriod)
        if count < bytes.count {
          nextTry = now + retryPeriod
          return
        }
      case .setSpeed(let speed):
        guard isFreeForSpeed else { return }
        attempt { (port) throws(SerialError) in try port.setSpeed(speed) }
        outbox.didSetSpeed()
      }
    }
  }

  /// Whether the port's speed can be changed now: everything written at the current one has been
  /// sent, and the board has answered the bench's own query.
  private var isFreeForSpeed: Bool {
    let isAwaited = outbox.portBaud == baud && telemetry?.isAwaitingAnswer == true
    return !isAwaited && outbox.portFree <= now && port?.outputCount ?? 0 == 0
  }

  /// Waits until there may be something to do, at most until `end`.
  private mutating func wait(until end: Instant) {
    var longest = Interval.milliseconds(20)
    if case .setSpeed = outbox.step {
      // There is no notification when the port's buffer becomes empty.
      longest = min(longest, max(outbox.portFree - now, .milliseconds(2)))
    }
    let wantsRoom = if case .write = outbox.step { true } else { false }
    guard let port else { return }
    let isReady = min(zero + (end - .zero), HostTime.now + longest)
      .wait(for: port.descriptor, orWriting: wantsRoom)
    if isReady { nextTry = now }
  }

  /// Processes the bytes received.
  private mutating func collect() {
    while fault == nil {
      let now = now
      guard let bytes = nextBytes(at: now) else { return }
      // The board is sending, so it has probably read, too: retry the write.
      nextTry = now
      if telemetry == nil, !held.showsTransmits {
        _ = arrivals.end(before: 0, readAt: now)
        held.pass(bytes)
        continue
      }
      for (index, byte) in bytes.enumerated() {
        let end = arrivals.end(before: bytes.count - 1 - index, readAt: now)
        if telemetry == nil {
          held.insert(.transmit(byte), at: end - arrivals.byteTime)
        } else {
          telemetry?.take(byte, at: end) { output, time in held.insert(output, at: time) }
        }
      }
    }
  }

  /// Returns the bytes received; nil if there are none.
  private mutating func nextBytes(at now: Instant) -> [UInt8]? {
    if !inbox.isEmpty {
      let bytes = inbox
      inbox = []
      // After a large read there can be more already.
      nextLook = bytes.count < Self.muchRead ? now + Self.lookPeriod : now
      return bytes
    }
    guard !isReadElsewhere || now >= nextLook else { return nil }
    let bytes = attempt { (port) throws(SerialError) in try port.read() }
    nextLook = now + Self.lookPeriod
    guard let bytes, !bytes.isEmpty else { return nil }
    return bytes
  }

  private mutating func release(before limit: Instant, into recorder: inout Recorder) {
    for seen in held.take(before: limit) {
      recorder.put(seen.output, at: seen.time)
      if case .servo(let degrees, _, nil) = seen.output { follow(degrees, at: seen.time) }
    }
  }

  private mutating func follow(_ degrees: UInt8, at time: Instant) {
    defer { lastServo = (time, degrees) }
    sweep = nil
    guard let lastServo, time - lastServo.time <= .milliseconds(40) else { return }
    switch Int(degrees) - Int(lastServo.degrees) {
    case 1: sweep = (degrees + 1, true)
    case -1: sweep = (max(degrees, 1) - 1, false)
    default: break
    }
  }

  /// Whether a board that was already running reports its writes, judged from any sweep in
  /// progress.
  private static func reportsWrites(_ port: any BoardPort) throws(SerialError) -> Bool {
    var scanner = TelemetryScanner()
    let end = HostTime.now + .milliseconds(45)
    var isFound = false
    while end.wait(for: port.descriptor) {
      for byte in try port.read() {
        for case .write in scanner.take(byte, at: .zero) { isFound = true }
      }
    }
    return isFound
  }
}

/// Turns off the telemetry that the bench turned on, unless the sender has requested it. It does so
/// when its last reference is released.
final class TelemetryLease: Sendable {
  private let port: any BoardPort
  private let isKept = Atomic(false)

  init(_ port: any BoardPort) { self.port = port }

  deinit {
    // There is always room for one byte, unless the port is gone.
    if !isKept.load(ordering: .relaxed) { _ = try? port.write([UInt8(ascii: "V")]) }
  }

  func keep(_ isKept: Bool) { self.isKept.store(isKept, ordering: .relaxed) }
}

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

  mutating func didSetSpeed() { portBaud = runs[0].baud }

  /// Ten bits for each byte, 8N1.
  private static func time(of count: Int, at baud: Int) -> Interval {
    .nanoseconds(Int64(count) * 10_000_000_000 / Int64(baud))
  }
}

/// Outputs in order of time, held back because earlier ones may still arrive.
struct BoardOutputs: Sendable {
  private var held: [(time: Instant, output: Output)] = []
  private var released = Instant.zero
  /// The bytes received since they were last taken for the sender; nil if they never have been.
  private var forSender: [UInt8]?

  /// Whether the bytes that the board transmits are also held as outputs, or only passed to the
  /// sender.
  private(set) var showsTransmits = true

  mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {
    self.showsTransmits = showsTransmits
    released = max(released, instant)
  }

  /// Passes on bytes from the board that do not become outputs.
  mutating func pass(_ bytes: [UInt8]) { forSender?.append(contentsOf: bytes) }

  /// Inserts an output by time, after those with the same time. Times before 0 count as 0.
  mutating func insert(_ output: Output, at time: Instant) {
    if case .transmit(let byte) = output {
      forSender?.append(byte)
      guard showsTransmits else { return }
    }
    let time = max(time, .zero)
    var index = held.count
    while index > 0, held[index - 1].time > time { index -= 1 }
    held.insert((time, output), at: index)
  }

  /// Takes the bytes for the sender received since the last call, in order of arrival. They are
  /// collected from the first call on.
  mutating func takeForSender() -> [UInt8] {
    let bytes = forSender ?? []
    forSender = []
    return bytes
  }

  /// Takes the outputs before `limit`. Outputs that arrived too late for their time get the time of
  /// the one before them.
  mutating func take(before limit: Instant) -> [(time: Instant, output: Output)] {
    guard let first = held.first, first.time < limit else { return [] }
    let count = held.prefix { $0.time < limit }.count
    var taken = Array(held.prefix(count))
    held.removeFirst(count)
    for index in taken.indices {
      released = max(released, taken[index].time)
      taken[index].time = released
    }
    return taken
  }
}
