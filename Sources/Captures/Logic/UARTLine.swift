/// One line of a recording as a UART receives it, wherever the recording begins.
///
/// The board was in step with its sender before the recording began. After ten bits without an edge
/// a receiver is in step too. Otherwise each falling edge of the first ten bits is tried as a start
/// bit, and the one whose bytes have the fewest framing errors is chosen.
struct UARTLine: Hashable, Sendable {
  /// A break that has ended.
  struct Break: Hashable, Sendable {
    var end: Int64
    var length: Int64
  }

  private enum State: Hashable, Sendable {
    /// The level is not known.
    case lost
    /// Searching for the first start bit since this instant.
    case searching(Int64)
    case inStep
  }

  /// How many edges are tried, and how many bytes are compared for each.
  private static let attemptsMax = 6
  private static let attemptLength = 16

  private let baud: Int
  private let dataBits: Int
  private let isInverted: Bool
  /// The length of the data bits with their start and stop bit, in nanoseconds.
  private let frame: Int64
  /// A shorter pulse is a glitch, in nanoseconds.
  private let glitchMax: Int64
  private var state = State.lost
  private var receiver: UARTReceiver
  private var attempts: [UARTReceiver] = []
  /// Whether the line is high, inverted if necessary, since `changed`.
  private var isHigh = true
  private var changed = Int64.min
  private var breakStart: Int64?

  /// What was received and not taken yet.
  var received: [UARTReceiver.Received] = []
  var breaks: [Break] = []
  private(set) var glitches = 0
  /// How often a byte was cut off because the recording began or a hole ended in it.
  private(set) var cutBytes = 0

  init(baud: Int, dataBits: Int = 8, isInverted: Bool = false, glitchMax: Int64 = 0) {
    self.baud = baud
    self.dataBits = dataBits
    self.isInverted = isInverted
    self.glitchMax = glitchMax
    frame = Int64(dataBits + 2) * 1_000_000_000 / Int64(baud)
    receiver = UARTReceiver(baud: baud, dataBits: dataBits)
  }

  /// Nothing that is received later starts before this; nil if no byte is being received.
  var earliestStart: Int64? {
    if case .searching = state {
      return attempts.first.map { $0.received.first?.start ?? $0.start ?? changed }
    }
    return receiver.start
  }

  /// Takes the level from an instant on; nil if it is not known.
  mutating func take(_ level: Bool?, at time: Int64) {
    guard let level else {
      advance(to: time)
      if receiver.start != nil || !attempts.isEmpty { cutBytes += 1 }
      state = .lost
      attempts = []
      breakStart = nil
      return
    }
    let high = level != isInverted
    if state == .lost {
      state = .searching(time)
      receiver = UARTReceiver(baud: baud, dataBits: dataBits)
      isHigh = high
      changed = time
      return
    }
    // Other channels change too: a byte that has ended meanwhile must not hold up their events.
    advance(to: time)
    guard high != isHigh else { return }
    if time - changed < glitchMax { glitches += 1 }
    if case .searching(let begin) = state {
      search(high, at: time, since: begin)
    } else {
      receiver.take(high, at: time)
      collect()
    }
    isHigh = high
    changed = time
    if high { endBreak(at: time) }
  }

  /// Advances to an instant at the line's present level.
  mutating func advance(to time: Int64) {
    switch state {
    case .lost: return
    case .searching:
      guard !attempts.isEmpty else { return }
      for index in attempts.indices { attempts[index].advance(to: time) }
      if isHigh && time - changed >= frame || attempts[0].received.count >= Self.attemptLength {
        choose()
      }
    case .inStep:
      receiver.advance(to: time)
      collect()
    }
  }

  /// Ends the recording. `isKnown` is whether the level was recorded until then; if not, the line
  /// is assumed to keep its level.
  mutating func finish(at time: Int64, isKnown: Bool) {
    let end = isKnown ? time : time + 2 * frame
    advance(to: end)
    if case .searching = state, !attempts.isEmpty { choose() }
    if receiver.start != nil { cutBytes += 1 }
    if !isHigh { endBreak(at: time) }
  }

  private mutating func search(_ high: Bool, at time: Int64, since begin: Int64) {
    if !high {
      if attempts.isEmpty && time - begin >= frame {
        // The line was quiet until now, or low, which is a break or an inverted line.
        return start(at: time)
      }
      if attempts.count < Self.attemptsMax && time - begin < frame {
        attempts.append(UARTReceiver(baud: baud, dataBits: dataBits))
      }
    }
    for index in attempts.indices { attempts[index].take(high, at: time) }
  }

  private mutating func start(at time: Int64) {
    if changed > Int64.min && !isHigh { cutBytes += 1 }
    state = .inStep
    receiver.take(false, at: time)
    collect()
  }

  private mutating func choose() {
    func errors(_ attempt: UARTReceiver) -> Int { attempt.received.count { !$0.hasStop } }
    var best = 0
    for index in attempts.indices where errors(attempts[index]) < errors(attempts[best]) {
      best = index
    }
    if best > 0 { cutBytes += 1 }
    receiver = attempts[best]
    attempts = []
    state = .inStep
    collect()
  }

  private mutating func collect() {
    guard !receiver.received.isEmpty else { return }
    for byte in receiver.received where byte.bits == 0 && !byte.hasStop { breakStart = byte.start }
    received += receiver.received
    receiver.received.removeAll(keepingCapacity: true)
  }

  private mutating func endBreak(at time: Int64) {
    guard let start = breakStart else { return }
    breakStart = nil
    if time - start >= frame { breaks.append(Break(end: time, length: time - start)) }
  }
}
