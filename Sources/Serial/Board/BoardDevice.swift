package import Devices
import Platform
import Traces
package import Turret

/// A real board at the other end of a serial port, in real time.
///
///     starting ──bootloader's time──▶ at work ──port gone, or guarded does not answer──▶ at fault
///        ▲                              │
///        └────────────reset─────────────┘
///
/// Time 0 is when its sketch starts; where the port has no line to restart the board with, or is
/// not to, when the session began. From classic and buzzer only the bytes they send can be seen;
/// guarded tells of every servo write, with its own clock.
package struct BoardDevice: RealTimeDevice {
  /// Nil while the board has not been plugged in yet.
  private let port: SerialPort?
  /// The computer's time at the session's time 0.
  package let zero: HostTime
  /// The board's speed, bits a second, and the time of its bytes.
  private let baud: Int
  private let byteTime: Interval
  package let bootTime: Interval
  private var telemetry: GuardedTelemetry?
  private let lease: TelemetryLease?
  /// When the bench is to turn telemetry on.
  private var telemetryStart: Instant?
  /// From when the sketch listens.
  private var sketchStart: Instant
  private var outbox: Outbox
  /// Bytes that somebody else has read from the port.
  private var inbox: [UInt8] = []
  /// Where somebody else reads the port, it is looked at here only so often.
  private var nextLook = Instant.zero
  private var isReadElsewhere = false
  private static let lookPeriod = Interval.milliseconds(20)
  private static let muchRead = 1_024
  /// When a port that had no room is tried again. To wait for room would take another thread where
  /// the network waits, and the way through one longer than a pty takes to make room.
  private var nextTry = Instant.zero
  private var retryPeriod = Self.retryPeriodMin
  private static let retryPeriodMin = Interval.microseconds(500)
  /// The end of the last byte that came.
  private var lastArrival = Instant.zero
  private var held = HeldOutputs()
  private var lastServo: (time: Instant, degrees: UInt8)?
  /// The angle a sweep would write next; nil where the servo does not move like in one.
  private var sweep: (next: UInt8, rising: Bool)?
  package let capabilities: DeviceCapabilities
  package private(set) var fault: DeviceError?

  package static func observes(_ firmware: Firmware) -> Set<Output.Kind> {
    switch firmware {
    case .guarded: [.servo, .transmit]
    case .classic, .buzzer: [.transmit]
    }
  }

  /// Takes over a port that was just opened. `resets`: restarts the board, if the port can, and
  /// waits until its bootloader is done. `opensWithReset`: opening the port has restarted it.
  package init(
    _ port: SerialPort, firmware: Firmware, baud: Int, resets: Bool, opensWithReset: Bool,
    bootTime: Interval
  ) throws(SerialError) {
    self.port = port
    self.bootTime = bootTime
    self.baud = baud
    byteTime = ByteClock.byteTime(baud: baud)
    outbox = Outbox(baud: baud)
    sketchStart = .zero
    var isOn = false
    if resets, try port.pulseReset() || opensWithReset {
      capabilities = Self.capabilities(of: firmware, start: .reset)
      zero = .now + bootTime
      zero.sleep()
      // A bootloader may have something to say.
      port.discardInput()
    } else {
      capabilities = Self.capabilities(of: firmware, start: .unknown)
      if firmware == .guarded { isOn = try Self.reportsWrites(port) }
      zero = .now
    }
    guard firmware == .guarded else {
      lease = nil
      return
    }
    lease = TelemetryLease(port)
    telemetry = GuardedTelemetry(baud: baud, isOn: isOn)
    telemetryStart = .zero
    beginTelemetry(at: .zero)
    flush()
  }

  /// A board that has not been plugged in yet. What it does before it is there is not known; it
  /// begins with its first reset.
  package init(absent error: DeviceError, firmware: Firmware, baud: Int) {
    port = nil
    zero = .now
    bootTime = .zero
    self.baud = baud
    byteTime = ByteClock.byteTime(baud: baud)
    capabilities = Self.capabilities(of: firmware, start: .unknown)
    lease = nil
    sketchStart = .zero
    outbox = Outbox(baud: baud)
    fault = DeviceError(.gone, error.description)
  }

  /// Takes over the port of a board that was unplugged and is back in a session whose time 0 was at
  /// `zero`: plugging it in, and opening its port, has just restarted it.
  package init(
    rejoining port: SerialPort, since zero: HostTime, firmware: Firmware, baud: Int,
    bootTime: Interval
  ) {
    self.port = port
    self.zero = zero
    self.bootTime = bootTime
    self.baud = baud
    byteTime = ByteClock.byteTime(baud: baud)
    capabilities = Self.capabilities(of: firmware, start: .reset)
    lease = firmware == .guarded ? TelemetryLease(port) : nil
    sketchStart = .zero + (HostTime.now + bootTime - zero)
    outbox = Outbox(baud: baud, freeAt: sketchStart - bootTime)
    guard firmware == .guarded else { return }
    telemetry = GuardedTelemetry(baud: baud, isOn: false)
    telemetryStart = sketchStart
  }

  static func capabilities(of firmware: Firmware, start: Header.Start) -> DeviceCapabilities {
    .realTime(observing: observes(firmware), start: start, lag: lag)
  }

  package var origin: HostTime? { zero }
  /// A line may wait for 52 bytes before it and takes 11 itself, 66 ms; the rest is the computer's.
  private static let lag = Interval.milliseconds(150)
  package var descriptor: CInt? { port?.descriptor }
  package var nextDeadline: Instant? { nil }
  package var onTheWayCount: Int { outbox.count(at: now) }
  package var backlogCount: Int { outbox.unwrittenCount }
  package var untakenCount: Int { outbox.unwrittenCount + (port?.outputCount ?? 0) }
  /// Whether the servo moves as in a sweep; no more of it can be seen.
  package var activity: Activity? { sweep.map { .scanning(next: $0.next, rising: $0.rising) } }

  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    guard fault == nil else { return }
    let begin = outbox.free(at: instant)
    let filtered =
      telemetry?.filter(bytes, firstEnd: begin + byteTime, listensFrom: sketchStart) ?? bytes
    lease?.keep(telemetry?.isLeftOn ?? false)
    outbox.put(filtered)
    flush()
  }

  /// A port has one speed for both ways, so while a sender has another one than the board, what the
  /// board says cannot be read here, as the sender could not.
  package mutating func setSenderBaud(_ baud: Int) {
    outbox.baud = baud
    flush()
  }

  package mutating func arrived(_ bytes: [UInt8]) {
    isReadElsewhere = !bytes.isEmpty
    if inbox.isEmpty { inbox = bytes } else { inbox += bytes }
  }

  /// Restarts the board. Its bootloader takes the time it takes, whatever `deadTime` says, and the
  /// pulse on DTR ends, and with it the board's rest, a tenth of a second after `instant`.
  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    let isDone = attempt { (port) throws(SerialError) in try port.pulseReset() }
    guard let isDone, let port else { return }
    guard isDone else {
      fault = DeviceError(
        .unavailable,
        "\(port.path): error: the session restarts the board, and this port has no line to do it "
          + "with"
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
      // What has come by now is all that can have happened before `now` less the lag.
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

  package mutating func takeForSender() -> [UInt8]? { held.takeForSender() }

  /// What was held back is to be released, and what the port had no room for to be written.
  package var patience: Interval? {
    if fault == nil, case .write = outbox.step { retryPeriod } else { Self.lookPeriod }
  }

  package mutating func setShowsTransmits(_ showsTransmits: Bool, from instant: Instant) {
    held.setShowsTransmits(showsTransmits, from: instant)
  }

  package mutating func takeUndelivered() -> [(byte: UInt8, end: Instant)] { [] }

  // MARK: -

  private var now: Instant { .zero + (HostTime.now - zero) }

  /// Nil where it failed, and so did the device.
  @discardableResult
  private mutating func attempt<Result>(
    _ deed: (SerialPort) throws(SerialError) -> Result
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
    // The bench speaks to the board at the board's speed, whatever the sender does.
    let senderBaud = outbox.baud
    outbox.baud = baud
    outbox.put(bytes)
    outbox.baud = senderBaud
  }

  /// Has the port do what it can do at once.
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

  /// Whether the port's speed can be changed now: what was written at the present one is out, and
  /// what the board is to answer to the bench itself has come.
  private var isFreeForSpeed: Bool {
    let isAwaited = outbox.portBaud == baud && telemetry?.isAwaitingAnswer == true
    return !isAwaited && outbox.portFree <= now && port?.isOutputEmpty != false
  }

  /// Waits until there may be something to do, at most until `end`.
  private mutating func wait(until end: Instant) {
    var patience = Interval.milliseconds(20)
    if case .setSpeed = outbox.step {
      // Nothing tells when the port's buffer is empty.
      patience = min(patience, max(outbox.portFree - now, .milliseconds(2)))
    }
    let wantsRoom = if case .write = outbox.step { true } else { false }
    guard let port else { return }
    let isReady = min(zero + (end - .zero), HostTime.now + patience)
      .wait(for: port.descriptor, orWriting: wantsRoom)
    if isReady { nextTry = now }
  }

  /// Takes what has come. Of bytes that are read together the last has just come, and the others
  /// came before it as a line carries them.
  private mutating func collect() {
    while fault == nil {
      let now = now
      guard let bytes = nextBytes(at: now) else { return }
      // Who answers has read.
      nextTry = now
      if telemetry == nil, !held.showsTransmits {
        lastArrival = max(lastArrival, now)
        held.pass(bytes)
        continue
      }
      for (index, byte) in bytes.enumerated() {
        let before = Int64(bytes.count - 1 - index) * byteTime.nanoseconds
        lastArrival = max(lastArrival, now - .nanoseconds(before))
        if telemetry == nil {
          held.insert(.transmit(byte), at: lastArrival - byteTime)
        } else {
          telemetry?.take(byte, at: lastArrival) { output, time in held.insert(output, at: time) }
        }
      }
    }
  }

  /// Bytes that have come; nil: none.
  private mutating func nextBytes(at now: Instant) -> [UInt8]? {
    if !inbox.isEmpty {
      let bytes = inbox
      inbox = []
      // After so many there may be more already.
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
      if case .servo(let degrees, _) = seen.output { follow(degrees, at: seen.time) }
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

  /// Whether a board that was running already reports its writes, as far as a sweep shows it.
  private static func reportsWrites(_ port: SerialPort) throws(SerialError) -> Bool {
    var scanner = TelemetryScanner()
    let end = HostTime.now + .milliseconds(45)
    var isFound = false
    while end.wait(for: port.descriptor) {
      for byte in try port.read() {
        scanner.take(byte, at: .zero) { if case .write = $0 { isFound = true } }
      }
    }
    return isFound
  }
}
