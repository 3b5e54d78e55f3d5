/// The receiving end of a UART, as the ATmega328P samples it. It works with the levels between
/// edges instead of with samples, so its cost does not depend on the sample rate.
///
/// ATmega328P data sheet, "Asynchronous Data Reception": at double speed, which Arduino's core uses
/// at most speeds, a bit has eight samples and is the majority of samples 4, 5 and 6; otherwise it
/// has sixteen, and is the majority of samples 8, 9 and 10. The sampling clock starts at the
/// falling edge, on average half a sample late: a low pulse that ends before that is not seen. A
/// start bit that reads high is noise. The search for the next one begins after the stop bit's last
/// sample, and needs a falling edge.
struct UARTReceiver: Hashable, Sendable {
  /// A byte, or the data bits of another format.
  struct Received: Hashable, Sendable {
    /// The falling edge of its start bit, in nanoseconds.
    var start: Int64
    /// The first data bit is the lowest.
    var bits: UInt16
    /// Whether the stop bit was high; if not, it is a framing error.
    var hasStop: Bool

    var byte: UInt8 { UInt8(truncatingIfNeeded: bits) }
  }

  private let dataBits: Int
  /// The instants of the samples that count, three a bit, in nanoseconds from the start bit's edge.
  private let samples: [Int64]
  /// The first sample, which must be low, in nanoseconds from the start bit's edge.
  private let firstSample: Int64
  /// The middle of the stop bit, in nanoseconds from the start bit's edge.
  private let stopMiddle: Int64
  /// Whether the line is high, which is idle.
  private(set) var isHigh = true
  /// The start bit's edge of the byte that is being received.
  private(set) var start: Int64?
  /// Whether the first sample was low.
  private var isSeen = false
  private var sample = 0
  private var highs = 0
  private var bits: UInt16 = 0
  /// The search for the next start bit begins here.
  private var listening = Int64.min
  /// What was received and not taken yet.
  var received: [Received] = []

  /// Creates a receiver for `baud` bits a second, which must be positive.
  init(baud: Int, dataBits: Int = 8) {
    self.dataBits = dataBits
    let isDoubleSpeed = Self.isDoubleSpeed(baud: baud)
    let thirtySeconds: [Int64] = isDoubleSpeed ? [14, 18, 22] : [15, 17, 19]
    func time(_ thirtySeconds: Int64) -> Int64 {
      thirtySeconds * 1_000_000_000 / (32 * Int64(baud))
    }
    samples = (0..<Int64(dataBits + 2)).flatMap { bit in
      thirtySeconds.map { time(bit * 32 + $0) }
    }
    firstSample = time(isDoubleSpeed ? 2 : 1)
    stopMiddle = time(Int64(dataBits + 1) * 32 + 16)
  }

  /// Whether Arduino's core uses eight samples a bit: not at 57 600 baud, which old bootloaders
  /// use, and not below 489 baud, where the divider has too few bits.
  static func isDoubleSpeed(baud: Int) -> Bool { baud != 57_600 && baud >= 489 }

  /// Takes the line's level from an instant on.
  mutating func take(_ high: Bool, at time: Int64) {
    advance(to: time)
    if isHigh && !high && start == nil && time >= listening { begin(at: time) }
    isHigh = high
  }

  /// Takes the samples before an instant.
  mutating func advance(to time: Int64) {
    while let start {
      if isSeen {
        guard start + samples[sample] < time else { return }
        takeSample(start)
      } else {
        guard start + firstSample < time else { return }
        if isHigh { self.start = nil } else { isSeen = true }
      }
    }
  }

  /// Ends what is known of the line. A byte whose stop bit was recorded up to its middle counts,
  /// and the rest of that bit is taken to be the same. Returns false if it ends within a byte.
  mutating func end(at time: Int64) -> Bool {
    advance(to: time)
    guard let start else { return true }
    if start + stopMiddle <= time {
      while self.start != nil { takeSample(start) }
      return true
    }
    // What is high before the start bit's samples was a glitch.
    return isHigh && sample < 3
  }

  /// Whether a byte is being received whose last data bit was not sampled yet.
  var isInData: Bool { start != nil && sample < 3 * dataBits + 2 }

  private mutating func begin(at time: Int64) {
    start = time
    isSeen = false
    sample = 0
    highs = 0
    bits = 0
  }

  private mutating func takeSample(_ edge: Int64) {
    if isHigh { highs += 1 }
    sample += 1
    guard sample % 3 == 0 else { return }
    let bit = sample / 3 - 1
    let isSet = highs >= 2
    highs = 0
    if bit == 0 {
      guard isSet else { return }
    } else if bit <= dataBits {
      if isSet { bits |= 1 << UInt16(bit - 1) }
      return
    } else {
      received.append(Received(start: edge, bits: bits, hasStop: isSet))
    }
    listening = edge + samples[sample - 1]
    start = nil
  }
}
