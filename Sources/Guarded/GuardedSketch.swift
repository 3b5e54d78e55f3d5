/// The guarded firmware: reads commands, sweeps and sounds without ever blocking.
///
/// This source runs in the bench and on the ATmega328P. Time is an argument: the low 32 bits of
/// microseconds since reset, which wrap every 71.6 minutes, so instants are only ever subtracted.
/// Every number has its width (`Int` has 16 bits there) and nothing needs the heap.
///
/// Three machines run side by side:
///
///     reading   idle ──X──▶ number ──'.'──▶ idle          accepted: 1 to 3 digits, at most 180
///                             │ any other byte: abandoned, and the byte is taken as in idle
///                             └ 250 ms after the X: abandoned
///
///     servo     holding ──L──▶ sweeping (a step every 15 ms) ──accepted aim──▶ holding
///
///     buzzer    silent ──T, O, C, or the first accepted aim after start-up or L──▶ sounding
///               sounding ──160 ms──▶ silent; a new tone replaces the one that sounds
public struct GuardedSketch: Hashable, Sendable {
  /// From step to step of a sweep, microseconds: the classic sketch's `delay(15)`, without drift.
  public static let stepMicroseconds: UInt32 = 15_000
  /// How long a number may take, counted from its `X`.
  public static let numberMicroseconds: UInt32 = 250_000
  /// How long a tone sounds.
  public static let toneMicroseconds: UInt32 = 160_000

  fileprivate enum Reading: Hashable {
    case idle
    /// The value so far, how many digits it has (4: too many), when its `X` was taken.
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

  /// The sketch after a reset; the servo is to be aimed at `degrees` at once.
  public init() {}

  public var isSweeping: Bool { sweep != nil }
  /// The angle that the next step of the sweep writes and whether it climbs; nil when holding.
  public var sweepState: Sweep? { sweep }
  /// The number being read so far; nil outside a number.
  public var numberSoFar: UInt16? {
    if case .number(let value, _, _) = reading { return value }
    return nil
  }

  /// Takes one byte. What is due by `now` must have been done before (`tick`).
  public mutating func receive(_ byte: UInt8, at now: UInt32) -> Taken {
    switch reading {
    case .idle:
      return takeCommand(byte, at: now)
    case .number(let value, let digits, let since):
      if byte >= 0x30 && byte <= 0x39 {
        // The fourth digit is one too many, whatever follows; the value need not grow further.
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

  /// Does one thing that is due by `now`; nil when nothing (more) is.
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

  /// Microseconds from `now` to the next thing `tick` will do, 0 when it is overdue; nil: nothing
  /// will happen until a byte comes.
  public func microsecondsToDeadline(from now: UInt32) -> UInt32? {
    var nearest = UInt32.max
    if case .number(_, _, let since) = reading {
      nearest = Self.wait(until: since &+ Self.numberMicroseconds, from: now)
    }
    if isSounding { nearest = min(nearest, Self.wait(until: toneEnd, from: now)) }
    if sweep != nil { nearest = min(nearest, Self.wait(until: nextStep, from: now)) }
    return nearest == UInt32.max ? nil : nearest
  }

  /// A byte found the receive ring full.
  public mutating func lostByte() { count(&lost) }
  /// A line found no room in the transmit buffer.
  public mutating func droppedLine() { count(&droppedLines) }

  private mutating func takeCommand(_ byte: UInt8, at now: UInt32) -> Taken {
    switch byte {
    case 0x58:  // X
      reading = .number(value: 0, digits: 0, since: now)
      return Taken(fate: .letter)
    case 0x4C:  // L
      count(&accepted)
      // During a sweep L changes nothing.
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

  /// Starts a tone; one that sounds is replaced.
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

  /// Counts up and stays at the top.
  private func count(_ counter: inout UInt16) {
    if counter != UInt16.max { counter = counter &+ 1 }
  }

  /// Whether `instant` is not after `now`; the two are never 35 minutes apart.
  private static func isDue(_ instant: UInt32, at now: UInt32) -> Bool {
    Int32(bitPattern: now &- instant) >= 0
  }

  private static func wait(until instant: UInt32, from now: UInt32) -> UInt32 {
    isDue(instant, at: now) ? 0 : instant &- now
  }
}

// The chip's compiler has no `Codable`, and nothing there is written down.
#if !hasFeature(Embedded)
  extension GuardedSketch: Codable {}
  extension GuardedSketch.Reading: Codable {}
#endif
