/// One line of a recording as a UART receives it, wherever the recording begins.
///
/// The board was in step with its sender before the recording began. After ten bits without an edge
/// a receiver is in step too. Otherwise each falling edge of the first ten bits is tried as a start
/// bit, and the one whose bytes have the fewest framing errors is chosen. While the level is not
/// known, the line is taken to be idle, so the first low level after that is a start bit.
struct UARTLine: Hashable, Sendable {
  struct Break: Hashable, Sendable {
    var end: Int64
    var length: Int64
  }

  private enum State: Hashable, Sendable {
    /// The recording has not begun.
    case new
    /// The level is not known.
    case unknown
    /// Searching for the first start bit since this instant.
    case searching(Int64)
    case inStep
  }

  /// How many edges are tried, and how many bytes are compared for each.
  private static let attemptsMax = 6
  private static let attemptLength = 16
  /// How far the end of a low level at the recording's beginning can be from a whole number of bits
  /// if that beginning is a start bit's edge, in bits.
  private static let edgeErrorMax = 0.1

  private let baud: Int
  private let dataBits: Int
  private let isInverted: Bool
  /// The length of the data bits with their start and stop bit, in nanoseconds.
  private let frame: Int64
  /// A shorter pulse is a glitch, in nanoseconds.
  private let glitchMax: Int64
  private var state = State.new
  private var receiver: UARTReceiver
  private var attempts: [UARTReceiver] = []
  /// Whether the line is high, inverted if necessary, since `changed`.
  private var isHigh = true
  private var changed = Int64.min
  /// Whether that was an edge, and not the beginning of what is known.
  private var isEdge = false
  private var breakStart: Int64?
  /// Whether a level was known before.
  private var hasBegun = false

  /// What was received and not taken yet.
  var received: [UARTReceiver.Received] = []
  var breaks: [Break] = []
  private(set) var glitches = 0
  /// How often a byte was cut off because the recording began, or a hole began or ended, in it.
  private(set) var cutBytes = 0
  private(set) var endsInByte = false
  /// Whether the last byte has bits after the last change of a recording that does not state its
  /// end. The line is assumed to have stayed high.
  private(set) var isEndAssumed = false

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
    guard let level else { return lose(at: time) }
    let high = level != isInverted
    switch state {
    case .new, .unknown:
      begin(high, at: time)
      return
    case .searching, .inStep: break
    }
    // Other channels change too: a byte that has ended meanwhile must not hold up their events.
    advance(to: time)
    guard high != isHigh else { return }
    if isEdge, time - changed < glitchMax { glitches += 1 }
    isEdge = true
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

  /// Takes the first level that is known.
  private mutating func begin(_ high: Bool, at time: Int64) {
    receiver = UARTReceiver(baud: baud, dataBits: dataBits)
    isHigh = high
    changed = time
    isEdge = false
    if state == .unknown, !high || !hasBegun {
      state = .inStep
      receiver.take(high, at: time)
    } else {
      state = .searching(time)
    }
    hasBegun = true
  }

  /// Ends what is known of the line.
  private mutating func lose(at time: Int64) {
    guard state != .unknown else { return }
    if !endBytes(at: time) { cutBytes += 1 }
    state = .unknown
    isHigh = true
    breakStart = nil
  }

  /// Ends the byte that is being received. Returns whether it is complete, or there is none.
  private mutating func endBytes(at time: Int64) -> Bool {
    advance(to: time)
    if case .searching = state, !attempts.isEmpty {
      // The earliest attempt counts most: it decides whether a byte has begun.
      choose()
    }
    guard state == .inStep else { return true }
    let isComplete = receiver.end(at: time)
    collect()
    return isComplete
  }

  /// Advances to an instant at the line's present level.
  mutating func advance(to time: Int64) {
    switch state {
    case .new, .unknown: return
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

  /// Ends the recording. `isKnown` is whether the level was recorded until then; if not, a line at
  /// rest is assumed to have stayed so. A line that is low has changed after that.
  mutating func finish(at time: Int64, isKnown: Bool) {
    advance(to: time)
    var end = time
    if !isKnown, isHigh {
      end += 2 * frame
      isEndAssumed = receiver.isInData || attempts.first?.isInData ?? false
    }
    if !endBytes(at: end) { endsInByte = true }
    if !isHigh { endBreak(at: time) }
  }

  private mutating func search(_ high: Bool, at time: Int64, since begin: Int64) {
    if high, attempts.isEmpty, !isHigh, time - begin < frame, isWhole(time - begin) {
      // A recording that a start bit triggered begins with it.
      var attempt = UARTReceiver(baud: baud, dataBits: dataBits)
      attempt.take(false, at: begin)
      attempts.append(attempt)
    }
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

  private func isWhole(_ length: Int64) -> Bool {
    let bits = Double(length) * Double(baud) / 1e9
    return bits > 0.5 && abs(bits - bits.rounded()) < Self.edgeErrorMax
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
