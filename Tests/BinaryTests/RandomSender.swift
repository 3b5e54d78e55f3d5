import Sketches
import TestSupport
import Traces

/// Everything that senders produce, from a seed: valid and invalid aims, split commands, junk,
/// 0xFF, wraps, bursts, tones, questions, pauses, and bytes that arrive just as the sketch looks.
struct RandomSender {
  /// The beginning of a session.
  private enum Opening: CaseIterable {
    case startUp, idle, sweep
  }

  private let sketch: PrebuiltSketch
  private var generator: SeededGenerator
  private var inputs: [Event] = []
  /// The instant at which the next word begins.
  private var time: Instant
  /// The last arrival of an `L`.
  private var sweepStart: Instant?
  private var byteCount = 0

  /// Ten bit times, rounded up.
  private static let byteTime = Interval.microseconds(1_042)
  /// Each session continues at least this long after start-up and has at least this many bytes.
  private static let length = Interval.seconds(2)
  private static let byteCountMin = 20

  static func stream(_ sketch: PrebuiltSketch, seed: UInt64) -> SentStream {
    var sender = RandomSender(sketch, seed: seed)
    sender.makeInputs()
    return SentStream(
      sketch, seed: seed, inputs: sender.inputs,
      notBefore: .zero + sketch.startUp + Self.length)
  }

  private init(_ sketch: PrebuiltSketch, seed: UInt64) {
    self.sketch = sketch
    generator = SeededGenerator(seed: seed)
    time = .zero
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func makeInputs() {
    let opening = Opening.allCases.randomElement(using: &generator)!
    let ready = sketch == .classic ? 1_050_000 : 50_000
    switch opening {
    case .startUp:
      time = .zero + .microseconds(Int64(number(1_000...ready)))
      if number(0...3) == 0 { send(burst()) }
    case .idle: time = .zero + .microseconds(Int64(number(ready...ready + 400_000)))
    case .sweep:
      time = .zero + .microseconds(Int64(number(ready...ready + 100_000)))
      sweep()
    }
    let sweeps = number(0...20)
    var words = 0
    let end = Instant.zero + sketch.startUp + Self.length
    while byteCount < Self.byteCountMin || words <= sweeps || time < end {
      if words == sweeps { sweep() } else { send(word()) }
      words += 1
      pause()
      if number(0...150) == 0 { restart() }
    }
  }

  /// Sends bytes from `time`, or when the line is free.
  private mutating func send(_ bytes: [UInt8]) {
    inputs.append(Event(time, .receive(bytes)))
    byteCount += bytes.count
    for byte in bytes {
      time += Self.byteTime
      if byte == UInt8(ascii: "L") { sweepStart = time }
    }
  }

  private mutating func pass(_ microseconds: Int) { time += .microseconds(Int64(microseconds)) }

  private mutating func pause() {
    switch number(0...11) {
    case 0...3: break
    case 4...6: pass(number(0...3_000))
    case 7...8: pass(number(3_000...40_000))
    case 9...10: pass(number(40_000...400_000))
    default: meetStep()
    }
  }

  /// Adds a sweep that lasts for some steps.
  private mutating func sweep() {
    send([UInt8(ascii: "L")])
    for _ in 0..<number(1...4) { pass(number(60_000...400_000)) }
  }

  /// Waits so that the next byte arrives within 100 us of a step of the current sweep.
  private mutating func meetStep() {
    guard let sweepStart else { return }
    let step = sketch == .classic ? 15_060.0 : 15_000.0
    let passed = Double((time + Self.byteTime - sweepStart).nanoseconds) / 1_000
    let boundary = (passed / step + Double(number(1...12))).rounded(.down) * step
    pass(max(0, Int(boundary - passed) + number(-100...100)))
  }

  /// Adds a reset in a quiet moment, with or without bytes for the bootloader.
  private mutating func restart() {
    pass(number(2_000...20_000))
    let deadTime = number(0...1) * number(1...900_000)
    inputs.append(Event(time, .reset(.microseconds(Int64(deadTime)))))
    sweepStart = nil
    // The port must be open when the next byte begins.
    let ready = time + .microseconds(Int64(deadTime) + 1_000)
    if deadTime > 100_000 {
      pass(number(0...10_000))
      send(aim(number(0...180)))
    }
    time = max(time, ready)
    if number(0...2) == 0 { pass(number(1_000...1_200_000)) }
  }

  private func aim(_ value: Int) -> [UInt8] { Array("X\(value).".utf8) }

  private mutating func burst() -> [UInt8] {
    var bytes: [UInt8] = []
    let count = number(40...110)
    while bytes.count < count { bytes += number(0...9) == 0 ? word() : aim(number(0...180)) }
    return bytes
  }

  private mutating func word() -> [UInt8] {
    switch number(0...23) {
    case 0...4: return aim(number(0...180))
    case 5...6: return [UInt8(ascii: "L")]
    case 7: return aim(number(181...999))
    case 8: return aim(number(1_000...70_000))
    case 9:
      return Array(
        "X\([65_546, 65_716, 65_536, 4_294_967_296, 4_294_967_386].randomElement(using: &generator)!)."
          .utf8)
    case 10: return Array(aim(number(0...180)).dropLast(number(1...2)))
    case 11:
      return Array(
        "X\(number(0...99))\(["X", "L", "Z", "\r"].randomElement(using: &generator)!)".utf8)
    case 12: return [0x58, 0x31, 0xFF, 0x32, 0xFF, 0x2E]
    case 13: return [0xFF]
    case 14: return (0..<number(1...4)).map { _ in UInt8(number(0...255)) }
    case 15: return Array("X.XLX-5.".utf8.prefix(number(1...8)))
    case 16: return Array("\r\n".utf8.prefix(number(1...2)))
    case 17: return aim(number(0...180)) + Array("\r\n".utf8)
    case 18: return split(aim(number(0...180)))
    case 19: return split(aim(number(90...300)))
    case 20:
      return Array(["T", "O", "C", "TOC", "TL", "LC"].randomElement(using: &generator)!.utf8)
    case 21: return Array(["?", "V", "??", "?V", "L"].randomElement(using: &generator)!.utf8)
    case 22: return burstOfAims()
    default: return Array("L".utf8) + aim(number(0...180)) + Array("L".utf8)
    }
  }

  private mutating func burstOfAims() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<number(2...12) { bytes += aim(number(0...180)) }
    return bytes
  }

  /// Sends all but the last piece, with pauses in between.
  private mutating func split(_ bytes: [UInt8]) -> [UInt8] {
    var rest = bytes[...]
    while rest.count > 1, number(0...2) != 0 {
      let piece = rest.prefix(number(1...rest.count - 1))
      send(Array(piece))
      rest = rest.dropFirst(piece.count)
      pass(number(0...3) == 0 ? number(1_000...300_000) : number(0...8_000))
    }
    return Array(rest)
  }
}
