/// The guarded firmware: reads commands, sweeps and sounds tones without ever blocking.
///
/// This source runs in the bench and on the ATmega328P. Time is an argument: the low 32 bits of the
/// microseconds since reset. They wrap every 71.6 minutes, so instants are only ever subtracted.
/// Every number has a fixed width (`Int` has 16 bits on the chip), and nothing needs the heap.
///
/// Three state machines run in parallel:
///
///     reading   idle ──X──▶ number ──'.'──▶ idle          accepted: 1 to 3 digits, at most 180
///                             │ any other byte: abandoned, and the byte is taken as in idle
///                             └ 250 ms after the X: abandoned
///
///     servo     holding ──L──▶ sweeping (a step every 15 ms) ──accepted aim──▶ holding
///
///     buzzer    silent ──T, O, C, or the first accepted aim after start-up or L──▶ sounding
///               sounding ──160 ms──▶ silent; a new tone replaces the current one
public struct GuardedSketch: Hashable, Sendable, Codable {
  /// The time between two steps of a sweep: the classic sketch's `delay(15)`, without drift.
  public static let stepMicroseconds: UInt32 = 15_000
  /// How long a number can take, from its `X` on.
  public static let numberMicroseconds: UInt32 = 250_000
  /// How long a tone sounds.
  public static let toneMicroseconds: UInt32 = 160_000

  fileprivate enum Reading: Hashable, Codable {
    case idle
    /// The value so far, the number of digits (4: too many), and when its `X` was received.
    case number(value: UInt16, digits: UInt8, since: UInt32)
  }

  private var reading = Reading.idle
  private var sweep: Sweep?
  private var nextStep: UInt32 = 0
  private var isSounding = false
  private var toneEnd: UInt32 = 0
  /// Whether the next accepted aim sounds the 900 Hz tone.
  private var announcesNext = true
  private var reportsWrites = false
  private var accepted: UInt16 = 0
  private var refused: UInt16 = 0
  private var lost: UInt16 = 0
  private var droppedLines: UInt16 = 0

  /// The commanded angle, degrees.
  public private(set) var degrees: UInt8 = 90

  /// Creates the sketch in its state after a reset. The servo must be aimed at `degrees` at once.
  public init() {}

  public var isSweeping: Bool { sweep != nil }
  /// The angle that the sweep's next step writes, and its direction; nil when holding.
  public var sweepState: Sweep? { sweep }
  /// The value of the number being read; nil if none is.
  public var numberSoFar: UInt16? {
    if case .number(let value, _, _) = reading { return value }
    return nil
  }

  /// Takes one byte. Everything due by `now` must have been done before, with `tick`.
  public mutating func receive(_ byte: UInt8, at now: UInt32) -> Taken {
    switch reading {
    case .idle:
      return takeCommand(byte, at: now)
    case .number(let value, let digits, let since):
      if byte >= 0x30 && byte <= 0x39 {
        // A fourth digit is too many, whatever follows, so the value does not have to grow further.
        let grown = digits < 3 ? value &* 10 &+ UInt16(byte &- 0x30) : value
        reading = .number(value: grown, digits: digits < 4 ? digits &+ 1 : 4, since: since)
        return Taken(fate: .digit)
      }
      reading = .idle
      if byte != 0x2E {
        count(&refused)
        var taken = takeCommand(byte, at: now)
        taken.abandonsNumber = true
        return taken
      }
      guard digits >= 1, digits <= 3, value <= 180 else {
        count(&refused)
        return Taken(fate: .abandoned, abandonsNumber: true)
      }
      count(&accepted)
      sweep = nil
      var action = write(UInt8(truncatingIfNeeded: value), at: now)
      if announcesNext {
        announcesNext = false
        action.hertz = sound(900, at: now)
      }
      return Taken(fate: .terminator, action: action)
    }
  }

  /// Does one thing that is due by `now`. Returns nil if nothing (more) is due.
  public mutating func tick(at now: UInt32) -> Tick? {
    if case .number(_, _, let since) = reading, now &- since >= Self.numberMicroseconds {
      reading = .idle
      count(&refused)
      return Tick(abandonsNumber: true)
    }
    if isSounding && Self.isDue(toneEnd, at: now) {
      isSounding = false
      return Tick(action: Action(hertz: 0))
    }
    if var running = sweep, Self.isDue(nextStep, at: now) {
      let action = write(running.next, at: now)
      _ = running.advance()
      sweep = running
      nextStep = nextStep &+ Self.stepMicroseconds
      return Tick(action: action)
    }
    return nil
  }

  /// Returns the microseconds from `now` until `tick` has something to do, 0 if it is overdue; nil
  /// if nothing happens until a byte arrives.
  public func microsecondsToDeadline(from now: UInt32) -> UInt32? {
    var nearest = UInt32.max
    if case .number(_, _, let since) = reading {
      nearest = Self.wait(until: since &+ Self.numberMicroseconds, from: now)
    }
    if isSounding { nearest = min(nearest, Self.wait(until: toneEnd, from: now)) }
    if sweep != nil { nearest = min(nearest, Self.wait(until: nextStep, from: now)) }
    return nearest == UInt32.max ? nil : nearest
  }

  /// Counts a byte that was lost because the receive ring was full.
  public mutating func lostByte() { count(&lost) }
  /// Counts a line that was dropped because the transmit buffer had no room.
  public mutating func droppedLine() { count(&droppedLines) }

  private mutating func takeCommand(_ byte: UInt8, at now: UInt32) -> Taken {
    switch byte {
    case 0x58:  // X
      reading = .number(value: 0, digits: 0, since: now)
      return Taken(fate: .letter)
    case 0x4C:  // L
      count(&accepted)
      // L has no effect during a sweep.
      if sweep != nil { return Taken(fate: .letter) }
      announcesNext = true
      var begun = Sweep(from: degrees)
      let action = write(begun.next, at: now)
      _ = begun.advance()
      sweep = begun
      nextStep = now &+ Self.stepMicroseconds
      return Taken(fate: .letter, action: action)
    case 0x54: return takeTone(800, at: now)  // T
    case 0x4F: return takeTone(750, at: now)  // O
    case 0x43: return takeTone(700, at: now)  // C
    case 0x3F:  // ?
      let status = Line(
        degrees: degrees, isSweeping: sweep != nil, accepted: accepted, refused: refused,
        lost: lost, dropped: droppedLines)
      return Taken(fate: .letter, action: Action(line: status))
    case 0x56:  // V
      reportsWrites = !reportsWrites
      return Taken(fate: .letter)
    default:
      return Taken(fate: .junk)
    }
  }

  private mutating func takeTone(_ hertz: UInt16, at now: UInt32) -> Taken {
    count(&accepted)
    return Taken(fate: .letter, action: Action(hertz: sound(hertz, at: now)))
  }

  /// Starts a tone, which replaces the current one.
  private mutating func sound(_ hertz: UInt16, at now: UInt32) -> UInt16 {
    isSounding = true
    toneEnd = now &+ Self.toneMicroseconds
    return hertz
  }

  private mutating func write(_ degrees: UInt8, at now: UInt32) -> Action {
    self.degrees = degrees
    var action = Action(degrees: degrees)
    if reportsWrites { action.line = Line(writing: degrees, at: now) }
    return action
  }

  /// Increments a counter, which saturates.
  private func count(_ counter: inout UInt16) {
    if counter != UInt16.max { counter = counter &+ 1 }
  }

  /// Whether `instant` is at or before `now`. The two are always less than 35 minutes apart.
  private static func isDue(_ instant: UInt32, at now: UInt32) -> Bool {
    Int32(bitPattern: now &- instant) >= 0
  }

  private static func wait(until instant: UInt32, from now: UInt32) -> UInt32 {
    isDue(instant, at: now) ? 0 : instant &- now
  }
}
