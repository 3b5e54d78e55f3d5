// The behaviour of the sketches, restated as the blocking, sequential code a sketch is
// written in: a loop that reads, writes and delays, on a virtual clock. It exists to be compared
// with the product by property tests, and shares nothing with the product's state machines.
//
// If the description of the sketches leaves something open, this file decides it as follows.
// - A read checks the ring when it begins and takes the byte when it ends, `byteRead` later.
// - At one instant, a tone ends before a byte enters the ring, and bytes enter the ring before the
//   sketch looks. In guarded, anything that is due when a byte is taken precedes the byte.
// - A tone that replaces another starts without an event for the other's end.
// - A byte that is not taken before the end, whether or not it has arrived, has the fate `waiting`.

/// The durations of actions, in nanoseconds.
struct ReferenceCosts: Equatable, Sendable {
  var byteRead = 3_200  // reading one byte, or an empty ring
  var purgeRead = 2_300  // discarding one byte
  var servoWrite = 54_000  // from a number's last byte to the store
  var pulseWrite = 10_000  // the same for a value from 544 up, which needs no division
  var angleRead = 48_000  // from `L` to the scan's first look at the ring
  var letterLToFirstStore = 104_000  // from `L` to the store, including `angleRead`
  var firstServoWrite = 197_000  // from reset to the first store
  var startUpEnd = 1_000_205_000  // from reset to the first look at the ring
  var step = 15_060_330  // from one store of a scan to the next
  var peekToStore = 56_000  // from the scan's look at the ring to the store
  var scanEndToTaken = 16_500  // from the look that ends a scan to reading the byte
  var bottomTurnExtra = 48_000  // in addition to a step, before the look
  var toneSetUp = 197_000  // from `T`, `O` or `C` to the tone's start
  var toneDuration = 160_000_000
  var firstXToneCost = 233_000  // buzzer: from the first `X` to the tone's start
  var byteToServo = 63_000  // guarded: from `.` or `L` to the store
  var dueToDone = 63_000  // guarded: from when a step or a silence is due
  var numberTimeout = 250_000_000  // guarded: from `X` to giving up

  static let classic = ReferenceCosts()
  static let buzzer = ReferenceCosts(firstServoWrite: 206_000, startUpEnd: 1_000_209_000)
  static let guarded = ReferenceCosts(
    firstServoWrite: 200_000, startUpEnd: 200_000, step: 15_000_000)
}

/// The firmwares, by the names of those that they are compared with.
enum ReferenceFirmware: String, Sendable { case classic, buzzer, guarded }

struct ReferenceOutput: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case servo(degrees: Int, microseconds: Int)
    case tone(hertz: Int)
    case lostRingFull(UInt8)
  }

  var time: Int  // nanoseconds since reset
  var kind: Kind
}

struct ReferenceByte: Equatable, Sendable {
  var byte: UInt8
  var arrived: Int  // when its stop bit ends, nanoseconds since reset
  var taken: Int?
  var fate: String
  var endedScan: Bool
}

/// Runs a firmware from reset to `until`, inclusive; the records are in order of time.
func referenceRun(
  _ firmware: ReferenceFirmware,
  costs: ReferenceCosts,
  records: [(time: Int, bytes: [UInt8])],
  until: Int
) -> (outputs: [ReferenceOutput], bytes: [ReferenceByte]) {
  let run = ReferenceRun(costs: costs, bytes: referenceArrivals(records), end: until)
  do {
    switch firmware {
    case .classic: try run.sketch(isBuzzer: false)
    case .buzzer: try run.sketch(isBuzzer: true)
    case .guarded: try run.guarded()
    }
  } catch {
    return (run.outputs, run.bytes)
  }
}

/// The arrivals of bytes over a line at 9600 baud, 8N1.
private func referenceArrivals(_ records: [(time: Int, bytes: [UInt8])]) -> [ReferenceByte] {
  var result: [ReferenceByte] = []
  var burstStart = 0
  var sent = 0
  for record in records {
    // Rounded down, so that a record at that very instant finds the line still busy, or just free.
    let free = burstStart + sent * 10_000_000_000 / 9600
    if sent == 0 || record.time > free {
      burstStart = record.time
      sent = 0
    }
    for byte in record.bytes {
      sent += 1
      let arrived = burstStart + sent * 10_000_000_000 / 9600
      result.append(
        ReferenceByte(byte: byte, arrived: arrived, taken: nil, fate: "waiting", endedScan: false))
    }
  }
  return result
}

/// Unwinds the sketch when its time is up.
private struct Finished: Error {}

private final class ReferenceRun {
  private static let never = Int.max / 2

  private let costs: ReferenceCosts
  private let end: Int
  private(set) var outputs: [ReferenceOutput] = []
  private(set) var bytes: [ReferenceByte]

  private var now = 0
  /// The next byte to arrive, the waiting ones and the last one taken, as indices of `bytes`.
  private var incoming = 0
  private var ring: [Int] = []
  private var current = 0

  private var scanWasEnded = false
  private var pulse: Int?
  private var toneEnd = ReferenceRun.never

  init(costs: ReferenceCosts, bytes: [ReferenceByte], end: Int) {
    self.costs = costs
    self.bytes = bytes
    self.end = end
  }

  // MARK: The clock and the serial port

  /// Lets time pass and handles everything that happens meanwhile.
  private func spend(_ nanoseconds: Int) throws {
    let target = now + max(0, nanoseconds)
    now = min(target, end)
    while true {
      let arrival = incoming < bytes.count ? bytes[incoming].arrived : Self.never
      guard min(toneEnd, arrival) <= now else { break }
      if toneEnd <= arrival {
        sound(0, at: toneEnd)
        continue
      }
      if ring.count < 63 {
        ring.append(incoming)
      } else {
        bytes[incoming].fate = "ring-full"
        emit(.lostRingFull(bytes[incoming].byte), at: arrival)
      }
      incoming += 1
    }
    if target > end { throw Finished() }
  }

  private func waitForByte() throws {
    while ring.isEmpty {
      try spend((incoming < bytes.count ? bytes[incoming].arrived : Self.never) - now)
    }
  }

  private func peek() -> Int { ring.first.map { Int(bytes[$0].byte) } ?? -1 }

  private func read() throws -> Int {
    let isEmpty = ring.isEmpty
    try spend(costs.byteRead)
    return isEmpty ? -1 : Int(take())
  }

  private func take() -> UInt8 {
    current = ring.removeFirst()
    bytes[current].taken = now
    bytes[current].endedScan = scanWasEnded
    scanWasEnded = false
    return bytes[current].byte
  }

  private func mark(_ fate: String) { bytes[current].fate = fate }

  private func emit(_ kind: ReferenceOutput.Kind, at time: Int) {
    outputs.append(ReferenceOutput(time: time, kind: kind))
  }

  // MARK: The servo and the buzzer

  /// The servo library's `write`: degrees, or a pulse width from 544 up.
  private func writeServo(_ value: Int) {
    let width = value >= 544 ? min(value, 2400) : 544 + min(max(value, 0), 180) * 1856 / 180
    guard width != pulse else { return }
    pulse = width
    emit(.servo(degrees: readServo(), microseconds: width), at: now)
  }

  private func readServo() -> Int { ((pulse ?? 544) + 1 - 544) * 180 / 1856 }

  private func startTone(_ newHertz: Int) {
    sound(newHertz, at: now)
    toneEnd = now + costs.toneDuration
  }

  private func sound(_ newHertz: Int, at time: Int) {
    toneEnd = Self.never
    emit(.tone(hertz: newHertz), at: time)
  }

  private func startUp() throws {
    try spend(costs.firstServoWrite)
    writeServo(90)
    try spend(costs.startUpEnd - costs.firstServoWrite)
  }

  // MARK: classic and buzzer

  func sketch(isBuzzer: Bool) throws -> Never {
    var isFirstX = true
    try startUp()
    while true {
      try waitForByte()
      let byte = try read()
      mark("letter")
      switch Unicode.Scalar(UInt8(byte)) {
      case "X":
        if isBuzzer && isFirstX {
          try spend(costs.firstXToneCost)
          startTone(900)
          isFirstX = false
        }
        let value = try readNumber()
        if isBuzzer || value <= 180 {
          let written = isBuzzer ? Int(Int16(bitPattern: value)) : Int(value)
          try spend(written >= 544 ? costs.pulseWrite : costs.servoWrite)
          writeServo(written)
        }
      case "L":
        isFirstX = true
        try scan()
      case "T" where isBuzzer: try blockingTone(800)
      case "O" where isBuzzer: try blockingTone(750)
      case "C" where isBuzzer: try blockingTone(700)
      default:
        mark("junk")
        if !isBuzzer { try purge() }
      }
    }
  }

  private func readNumber() throws -> UInt16 {
    var value: UInt16 = 0
    while true {
      try waitForByte()
      let byte = try read()
      switch byte {
      case 0x30...0x39:
        mark("digit")
        value = value &* 10 &+ UInt16(byte - 0x30)
      case 0xFF:
        mark("skipped")
      default:
        mark(byte == 0x2E ? "terminator" : "swallowed")
        return value
      }
    }
  }

  private func purge() throws {
    while try purgeOne() { _ = try purgeOne() }
  }

  /// Discards a byte. Returns false, at no cost, if none is waiting.
  private func purgeOne() throws -> Bool {
    guard !ring.isEmpty else { return false }
    try spend(costs.purgeRead)
    _ = take()
    mark("purged")
    return true
  }

  private func blockingTone(_ newHertz: Int) throws {
    try spend(costs.toneSetUp)
    startTone(newHertz)
    try spend(costs.toneDuration)
  }

  private func scan() throws {
    try spend(costs.angleRead)
    var lead = costs.letterLToFirstStore - costs.angleRead
    while true {
      let climb = Array(stride(from: readServo(), through: 160, by: 1))
      for angle in climb + stride(from: 160, through: 20, by: -1) {
        guard try scanStep(angle, lead: lead) else { return }
        lead = costs.peekToStore
      }
      try spend(costs.bottomTurnExtra)
    }
  }

  /// Writes one angle and pauses. Returns false if a byte is waiting.
  private func scanStep(_ angle: Int, lead: Int) throws -> Bool {
    if peek() >= 0 {
      scanWasEnded = true
      try spend(costs.scanEndToTaken - costs.byteRead)
      return false
    }
    try spend(lead)
    writeServo(angle)
    try spend(costs.step - costs.peekToStore)
    return true
  }

  // MARK: guarded

  /// Never blocks for long: does one thing at a time, in the order in which they are due. Only the
  /// `.` of an accepted aim ends a scan. The chip's clock counts whole microseconds.
  func guarded() throws -> Never {
    var digits: [Int]?
    var deadline = Self.never
    var isFirstAim = true
    var (sweepStart, sweepStep) = (0, 0)
    var nextStep = Self.never
    var silence = Self.never

    func micros() -> Int { now / 1_000 * 1_000 }

    func abandonNumber() {
      for index in digits ?? [] { bytes[index].fate = "abandoned" }
      (digits, deadline) = (nil, Self.never)
    }

    /// The loop times the tone from the moment of its decision.
    func tone(_ hertz: Int, setUp: Int) throws {
      silence = micros() + costs.toneDuration
      try spend(setUp)
      emit(.tone(hertz: hertz), at: now)
    }

    func step(after cost: Int) throws {
      try spend(cost)
      writeServo(sweepAngle(sweepStep, from: sweepStart))
      sweepStep += 1
      nextStep += costs.step
    }

    func idle(_ byte: Unicode.Scalar) throws {
      mark("letter")
      switch byte {
      case "X": (digits, deadline) = ([], micros() + costs.numberTimeout)
      case "L":
        isFirstAim = true
        guard nextStep == Self.never else { break }
        (sweepStart, sweepStep, nextStep) = (readServo(), 0, micros())
        try step(after: costs.byteToServo)
      case "T": try tone(800, setUp: costs.toneSetUp)
      case "O": try tone(750, setUp: costs.toneSetUp)
      case "C": try tone(700, setUp: costs.toneSetUp)
      case "?", "V": break
      default: mark("junk")
      }
    }

    try startUp()
    while true {
      let next = ring.first ?? incoming
      let arrival = next < bytes.count ? bytes[next].arrived : Self.never
      let taking = max(now, arrival) + costs.byteRead
      let due = max(now, min(deadline, silence, nextStep))
      if due <= taking {
        try spend(due - now)
        if deadline <= due {
          abandonNumber()
        } else if silence <= due {
          silence = Self.never
          try spend(costs.dueToDone)
          emit(.tone(hertz: 0), at: now)
        } else {
          try step(after: costs.dueToDone)
        }
        continue
      }

      try spend(taking - now)
      let byte = Unicode.Scalar(take())
      if let number = digits, ("0"..."9").contains(byte) {
        mark("digit")
        digits = number + [current]
        continue
      }
      guard let number = digits else {
        try idle(byte)
        continue
      }
      let value = Int(String(decoding: number.map { bytes[$0].byte }, as: UTF8.self))
      guard byte == ".", let value, number.count <= 3, value <= 180 else {
        abandonNumber()
        if byte == "." { mark("abandoned") } else { try idle(byte) }
        continue
      }
      mark("terminator")
      bytes[current].endedScan = nextStep != Self.never
      (digits, deadline, nextStep) = (nil, Self.never, Self.never)
      if isFirstAim { silence = micros() + costs.toneDuration }
      try spend(costs.byteToServo)
      writeServo(value)
      if isFirstAim { emit(.tone(hertz: 900), at: now) }
      isFirstAim = false
    }
  }

  /// The angle of a sweep's step, counted from 0: up to 160, then cycles of 282 steps, down and up.
  private func sweepAngle(_ step: Int, from start: Int) -> Int {
    let climb = max(0, 161 - start)
    if step < climb { return start + step }
    let inCycle = (step - climb) % 282
    return inCycle < 141 ? 160 - inCycle : inCycle - 121
  }
}
