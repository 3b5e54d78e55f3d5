/// A PCA9685 servo driver on the two-wire bus (NXP's data sheet, revision 4), with its internal
/// oscillator of 25 MHz. It has 16 channels, each with a pulse in every period of 4 096 counts. The
/// counter is assumed to begin at 0 at the end of sleep.
struct PCA9685: WiredPart {
  private enum Register {
    static let MODE1: UInt8 = 0x00
    static let MODE2: UInt8 = 0x01
    static let ALLCALLADR: UInt8 = 0x05
    static let LED0: UInt8 = 0x06
    static let LED15End: UInt8 = 0x45
    static let ALL_LED: UInt8 = 0xFA
    static let ALL_LEDEnd: UInt8 = 0xFD
    static let PRE_SCALE: UInt8 = 0xFE
  }
  private enum Bit {
    static let RESTART: UInt8 = 0x80
    static let AI: UInt8 = 0x20
    static let SLEEP: UInt8 = 0x10
    static let ALLCALL: UInt8 = 0x01
    /// In MODE2: outputs change at the acknowledgement of a byte instead of at a STOP.
    static let OCH: UInt8 = 0x08
    /// In LEDn_ON_H and LEDn_OFF_H: the whole period.
    static let full: UInt8 = 0x10
  }
  /// The general call address. The byte 0x06 sent to it is a software reset.
  private static let generalCall: UInt8 = 0
  private static let softwareReset: UInt8 = 0x06
  private static let channelCount = 16
  private static let megahertz: UInt32 = 25
  private static let initialPrescale: UInt8 = 0x1E
  private static let addresses: ClosedRange<UInt8> = 0x40...0x7F
  private static let periodCounts: UInt32 = 4_096
  /// The registers after a reset: MODE1 to ALLCALLADR, and those of the channels, which are off.
  private static let initial: [UInt8] =
    [Bit.SLEEP | Bit.ALLCALL, 0x04, 0xE2, 0xE4, 0xE8, 0xE0]
    + (0..<channelCount).flatMap { _ in [0, 0, 0, Bit.full] }

  static let kind = PartKind(
    name: "pca9685", noun: "a servo driver with an address from 0x40 to 0x7f",
    example: "pca9685@0x40", input: nil)

  /// Seven bits.
  let address: UInt8
  /// 0x00...0x45.
  private var registers = initial
  private var prescale = initialPrescale
  /// The register of the next byte.
  private var pointer: UInt8 = 0
  private var awaitsPointer = false
  private var isCalled = false
  private var isGeneralCall = false
  /// Whether a channel's register has been written since the last STOP.
  private var hasWritten = false
  /// The pulse of each channel as last reported, in microseconds; 0 without one.
  private var reported = [UInt16](repeating: 0, count: channelCount)

  /// When each channel rises and falls, as its registers were applied last.
  private var edges = [Edges](repeating: .off, count: channelCount)
  private let rate: ClockRate
  /// The cycle at which the counter was 0 for the first time since it sleeps no more.
  private var begin: UInt64 = 0
  /// The channels whose levels are reported, and those that were last reported as high, a bit for
  /// each.
  private var followed: UInt16 = 0
  private var high: UInt16 = 0
  /// When the level of a followed channel changes next.
  private(set) var deadline: UInt64 = .max

  private enum Edges: Hashable, Sendable, Codable {
    case off, on
    /// At these counts of each period.
    case pulse(rise: UInt64, fall: UInt64)
  }

  init?(at place: PartPlace, _ rate: ClockRate) {
    guard case .address(let address) = place, Self.addresses.contains(address) else { return nil }
    self.address = address
    self.rate = rate
  }

  var watched: [Pin] { [] }

  private var MODE1: UInt8 {
    get { registers[Int(Register.MODE1)] }
    set { registers[Int(Register.MODE1)] = newValue }
  }

  mutating func take(_ event: PartEvent, at cycle: UInt64, _ effects: inout PartEffects) {
    let wasAsleep = isAsleep
    switch event {
    case .address(let called, let reads):
      isCalled = begins(called, reads: reads)
      if isCalled { effects.acknowledge() }
    case .write(let byte): if isCalled, write(byte, &effects) { effects.acknowledge() }
    case .read: if isCalled { effects.answer(read()) }
    case .stop:
      if isCalled { applyChannels(&effects) }
      isCalled = false
    case .follow(let channel): if channel < Self.channelCount { followed |= 1 << channel }
    case .time: break
    case .powerOn, .level, .input, .exchange: return
    }
    if wasAsleep, !isAsleep { begin = cycle }
    if followed != 0 { reportLevels(at: cycle, &effects) }
  }

  /// Begins a transfer. Returns whether the driver acknowledges the address.
  private mutating func begins(_ called: UInt8, reads: Bool) -> Bool {
    isGeneralCall = called == Self.generalCall && !reads
    let isAllCall =
      MODE1 & Bit.ALLCALL != 0 && called == registers[Int(Register.ALLCALLADR)] >> 1
    guard called == address || isAllCall || isGeneralCall else { return false }
    awaitsPointer = !reads
    return true
  }

  /// Takes a byte. Returns whether the driver acknowledges it.
  private mutating func write(_ byte: UInt8, _ effects: inout PartEffects) -> Bool {
    if isGeneralCall {
      guard byte == Self.softwareReset else { return false }
      stopAll(&effects)
      registers = Self.initial
      prescale = Self.initialPrescale
      hasWritten = false
      return true
    }
    if awaitsPointer {
      awaitsPointer = false
      pointer = byte
      return true
    }
    store(byte)
    advance()
    if isAsleep || registers[Int(Register.MODE2)] & Bit.OCH != 0 { applyChannels(&effects) }
    return true
  }

  private mutating func read() -> UInt8 {
    defer { advance() }
    switch pointer {
    case ...Register.LED15End: return registers[Int(pointer)]
    case Register.PRE_SCALE: return prescale
    default: return 0
    }
  }

  private mutating func advance() {
    guard MODE1 & Bit.AI != 0 else { return }
    pointer = pointer == Register.LED15End ? 0 : pointer &+ 1
  }

  private mutating func store(_ byte: UInt8) {
    switch pointer {
    case Register.MODE1: write(MODE1: byte)
    case Register.MODE2: registers[Int(pointer)] = byte & 0x1F
    // The lowest bit of the other addresses is not used.
    case ..<Register.LED0: registers[Int(pointer)] = byte & 0xFE
    case ...Register.LED15End: store(byte, at: Int(pointer))
    case Register.ALL_LED...Register.ALL_LEDEnd:
      let first = Int(Register.LED0) + Int(pointer - Register.ALL_LED)
      for channel in 0..<Self.channelCount { store(byte, at: first + 4 * channel) }
    case Register.PRE_SCALE:
      // It can be written only in sleep, and the smallest value is 3.
      if isAsleep { prescale = max(byte, 3) }
    default: break
    }
  }

  private mutating func store(_ byte: UInt8, at index: Int) {
    registers[index] = byte & (index & 1 == 1 ? 0x1F : 0xFF)
    hasWritten = true
  }

  /// Without its oscillator it has no pulses (7.3.1.1).
  private var isAsleep: Bool { MODE1 & Bit.SLEEP != 0 }

  /// Sleep stops the pulses and sets RESTART. After sleep they continue when 1 is written to
  /// RESTART or a channel's register is written.
  private mutating func write(MODE1 value: UInt8) {
    var restart = MODE1 & Bit.RESTART
    let wasAsleep = isAsleep
    let sleeps = value & Bit.SLEEP != 0
    if sleeps, !wasAsleep, (0..<Self.channelCount).contains(where: { counts(of: $0) > 0 }) {
      restart = Bit.RESTART
    } else if !sleeps, value & Bit.RESTART != 0 {
      restart = 0
      hasWritten = true
    }
    MODE1 = value & ~Bit.RESTART | restart
  }

  /// The length of a channel's pulse in counts.
  private func counts(of channel: Int) -> UInt32 {
    let first = Int(Register.LED0) + 4 * channel
    let (onHigh, offHigh) = (registers[first + 1], registers[first + 3])
    if offHigh & Bit.full != 0 { return 0 }
    if onHigh & Bit.full != 0 { return Self.periodCounts }
    let on = UInt32(onHigh) << 8 | UInt32(registers[first])
    let off = UInt32(offHigh) << 8 | UInt32(registers[first + 2])
    return (off &- on) & (Self.periodCounts - 1)
  }

  /// Applies the written registers to the channels' pulses, and reports those that have changed.
  private mutating func applyChannels(_ effects: inout PartEffects) {
    if isAsleep { return stopAll(&effects) }
    guard hasWritten else { return }
    hasWritten = false
    MODE1 &= ~Bit.RESTART
    let count = UInt32(prescale) + 1
    for channel in 0..<Self.channelCount {
      edges[channel] = appliedEdges(of: channel)
      let pulse = (counts(of: channel) * count + Self.megahertz / 2) / Self.megahertz
      report(UInt16(min(pulse, UInt32(UInt16.max))), on: channel, &effects)
    }
  }

  private mutating func stopAll(_ effects: inout PartEffects) {
    edges = Array(repeating: .off, count: Self.channelCount)
    for channel in 0..<Self.channelCount { report(0, on: channel, &effects) }
  }

  /// Reports the pulse of a channel if it is another one than before.
  private mutating func report(
    _ microseconds: UInt16, on channel: Int, _ effects: inout PartEffects
  ) {
    guard microseconds != reported[channel] else { return }
    reported[channel] = microseconds
    effects.put(
      .pulses(
        channel: UInt8(channel), microseconds: microseconds,
        period: Self.periodCounts * (UInt32(prescale) + 1) / Self.megahertz))
  }

  // MARK: Levels

  /// Reports the levels of the followed channels that have changed, and finds when one changes
  /// next. A channel rises at its first count and falls at its second, and at no other.
  private mutating func reportLevels(at cycle: UInt64, _ effects: inout PartEffects) {
    deadline = .max
    for channel in 0..<Self.channelCount where followed >> channel & 1 != 0 {
      let wasHigh = high >> channel & 1 != 0
      var isHigh = wasHigh
      switch edges[channel] {
      case .off: isHigh = false
      case .on: isHigh = true
      case .pulse(let rise, let fall):
        let now = count(at: cycle)
        let phase = now % UInt64(Self.periodCounts)
        if phase == rise { isHigh = true }
        if phase == fall { isHigh = false }
        // The next time that the counter comes to either.
        let mask = UInt64(Self.periodCounts) - 1
        let rest = min((rise &- phase &- 1) & mask, (fall &- phase &- 1) & mask) + 1
        deadline = min(deadline, self.cycle(of: now + rest))
      }
      guard isHigh != wasHigh else { continue }
      high ^= 1 << channel
      effects.put(.level(channel: UInt8(channel), isHigh: isHigh))
    }
  }

  private func appliedEdges(of channel: Int) -> Edges {
    let counts = counts(of: channel)
    if counts == 0 || counts == Self.periodCounts { return counts == 0 ? .off : .on }
    let first = Int(Register.LED0) + 4 * channel
    let rise = UInt64(registers[first + 1]) << 8 | UInt64(registers[first])
    return .pulse(rise: rise, fall: (rise + UInt64(counts)) & (UInt64(Self.periodCounts) - 1))
  }

  /// What the counter has counted by a cycle since it began.
  private func count(at cycle: UInt64) -> UInt64 {
    let ticks = (cycle - min(begin, cycle)).multipliedFullWidth(
      by: UInt64(Self.megahertz) * 1_000_000)
    return countLength.dividingFullWidth(ticks).quotient
  }

  /// The first cycle by which the counter has counted that far.
  private func cycle(of count: UInt64) -> UInt64 {
    let parts = count.multipliedFullWidth(by: countLength)
    let divisor = UInt64(Self.megahertz) * 1_000_000
    let (quotient, remainder) = divisor.dividingFullWidth(parts)
    return begin &+ quotient + (remainder > 0 ? 1 : 0)
  }

  /// The length of a count in cycles, times the frequency of the oscillator.
  private var countLength: UInt64 { (UInt64(prescale) + 1) * UInt64(rate.hertz) }

  /// Whether there is everything of each register and channel; there may not be in a file.
  var isWhole: Bool {
    registers.count == Int(Register.LED15End) + 1 && reported.count == Self.channelCount
      && edges.count == Self.channelCount
  }
}
