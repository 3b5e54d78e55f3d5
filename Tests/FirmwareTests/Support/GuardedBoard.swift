import AVR

/// The guarded sketch as it is flashed, on an emulated chip at 16 MHz, with a line of 9600 baud.
///
/// The prebuilt file has no symbols, so the places that its tests watch are found by their
/// behaviour: see `Landmarks`.
struct GuardedBoard {
  static let cyclesPerMicrosecond = 16.0
  static let cyclesPerMillisecond: UInt64 = 16_000

  private(set) var chip: ATmega328P
  /// The chip's cycle. Reading it from the chip would copy the chip in builds without optimization.
  private(set) var cycle: UInt64
  private let landmarks: Landmarks?
  /// The bytes on the line in order of their ends, and whether the first one's start bit was seen.
  private var line: [(end: UInt64, byte: UInt8)] = []
  private var next = 0
  private var hasStarted = false
  /// The bytes that have arrived, with their times.
  private(set) var times: [ByteTimes] = []
  /// How many of `times` the sketch has handled, and whether it is handling the next.
  private var handledCount = 0
  private var isHandling = false
  /// The chip's outputs since `takeEvents`.
  private var events: [TimedChipEvent] = []

  /// A board at power-on. Without landmarks only the `arrival` of each byte is known.
  init(_ chip: ATmega328P, landmarks: Landmarks?) {
    self.chip = chip
    cycle = chip.cycle
    self.landmarks = landmarks
    if let landmarks { self.chip.watch(landmarks.tail..<landmarks.tail + 1) }
  }

  /// A board with the prebuilt sketch, 40 ms after power-on, when its first pulse has begun.
  /// `followsBytes` records the times of each byte.
  static func started(followsBytes: Bool = true) throws -> GuardedBoard {
    let image = try SketchImage.prebuilt("guarded")
    var board = GuardedBoard(
      ATmega328P(flash: image.flash), landmarks: followsBytes ? try Landmarks(of: image) : nil)
    board.run(for: 40 * cyclesPerMillisecond)
    _ = board.takeEvents()
    return board
  }

  /// A byte is ten bits of 1 666.67 cycles.
  static func byteCycles(_ count: Int) -> UInt64 { (UInt64(count) * 50_000 + 2) / 3 }

  /// Sends bytes back to back, with the first start bit at `start`. The line must be free.
  mutating func send(_ bytes: some Collection<UInt8>, at start: UInt64? = nil) {
    let start = start ?? cycle
    line.removeFirst(next)
    next = 0
    for (index, byte) in bytes.enumerated() {
      line.append((start + Self.byteCycles(index + 1), byte))
    }
  }

  mutating func send(_ text: String, at start: UInt64? = nil) { send(Array(text.utf8), at: start) }

  mutating func run(for cycles: UInt64) { run(until: cycle + cycles) }

  /// Runs until every byte on the line has been handled. Returns false if that takes more than 20
  /// ms after the last.
  mutating func runUntilQuiet() -> Bool {
    if let last = line.last?.end { run(until: max(cycle, last) + 1) }
    let patience = cycle + 20 * Self.cyclesPerMillisecond
    while times.last?.done == nil, cycle < patience { run(until: cycle + 256) }
    return times.last?.done != nil
  }

  mutating func run(until end: UInt64) {
    while next < line.count {
      let arrival = line[next]
      if !hasStarted {
        let start = arrival.end - Self.byteCycles(1)
        guard start < end else { break }
        follow(until: start)
        chip.startBit()
        hasStarted = true
      }
      guard arrival.end < end else { break }
      follow(until: arrival.end)
      chip.receive(arrival.byte)
      times.append(ByteTimes(byte: arrival.byte, arrival: cycle))
      next += 1
      hasStarted = false
    }
    follow(until: end)
  }

  /// Runs until the sketch has stored a pulse width. Returns the cycle.
  mutating func runToServoWrite() -> UInt64 {
    _ = takeEvents()
    let patience = cycle + 1_000 * Self.cyclesPerMillisecond
    while cycle < patience {
      run(for: 64)
      if let write = takeEvents().first(where: \.isServoWrite) { return write.cycle }
    }
    return cycle
  }

  mutating func takeEvents() -> [TimedChipEvent] {
    defer { events.removeAll() }
    return events
  }

  /// Forgets the bytes that the sketch has handled.
  mutating func clearTimes() {
    times.removeFirst(handledCount)
    handledCount = 0
  }

  // MARK: Following the bytes

  private mutating func follow(until end: UInt64) {
    while cycle < end {
      let start = cycle
      if isHandling {
        step()
      } else if let landmarks, handledCount < times.count {
        let before = chip
        runChip(until: min(end, cycle + 256))
        let seen = chip.takeEvents()
        if seen.contains(where: landmarks.isTaking) {
          // From just before the byte is taken, the chip runs instruction by instruction.
          chip = before
          cycle = start
          isHandling = true
          continue
        }
        events += seen
      } else {
        runChip(until: end)
        events += chip.takeEvents()
      }
      // Only a fault stops the chip.
      if cycle == start { return }
    }
  }

  private mutating func runChip(until end: UInt64) {
    chip.run(until: end)
    cycle = chip.cycle
  }

  /// Executes one instruction, until the byte has been taken and the main loop begins again.
  private mutating func step() {
    guard let landmarks else { return }
    runChip(until: cycle + 1)
    for event in chip.takeEvents() {
      events.append(event)
      if landmarks.isTaking(event) { times[handledCount].taken = event.cycle }
      if event.isServoWrite, times[handledCount].taken != nil {
        times[handledCount].servo = event.cycle
      }
    }
    if times[handledCount].taken != nil, chip.programCounter == landmarks.loop {
      times[handledCount].done = cycle
      handledCount += 1
      isHandling = false
    }
  }
}
