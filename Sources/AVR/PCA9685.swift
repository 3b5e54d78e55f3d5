/// A PCA9685 servo driver on the two-wire bus (NXP's data sheet, revision 4), with its internal
/// oscillator of 25 MHz. It has 16 channels, each with a pulse in every period of 4 096 counts.
struct PCA9685: Hashable, Sendable, Saved {
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
  private static let periodCounts: UInt32 = 4_096
  /// MODE1 to ALLCALLADR after a reset.
  private static let initial: [UInt8] = [
    Bit.SLEEP | Bit.ALLCALL, 0x04, 0xE2, 0xE4, 0xE8, 0xE0,
  ]

  /// The pulse of a channel that has changed.
  struct Change: Hashable, Sendable {
    var address: UInt8
    /// 0...15
    var channel: UInt8
    /// 0 if its pulses have stopped.
    var microseconds: UInt16
    /// The time from one pulse to the next.
    var periodMicroseconds: UInt32
  }

  /// Seven bits.
  let address: UInt8
  /// 0x00...0x45.
  private var registers: [UInt8]
  private var prescale: UInt8 = 0x1E
  /// The register of the next byte.
  private var pointer: UInt8 = 0
  /// Whether the next byte that is written is the pointer.
  private var awaitsPointer = false
  private var isGeneralCall = false
  /// Whether a channel's register has been written since the last STOP.
  private var hasWritten = false
  /// The pulse of each channel as last reported, in microseconds; 0 without one.
  private var reported = [UInt16](repeating: 0, count: channelCount)

  init(address: UInt8) {
    self.address = address
    registers = Self.initial
    for _ in 0..<Self.channelCount { registers += [0, 0, 0, Bit.full] }
  }

  /// Whether the state is valid; one read from a file can be invalid.
  var isPossible: Bool {
    registers.count == Int(Register.LED15End) + 1 && reported.count == Self.channelCount
      && (0x40...0x7F).contains(address)
  }

  private var MODE1: UInt8 {
    get { registers[Int(Register.MODE1)] }
    set { registers[Int(Register.MODE1)] = newValue }
  }

  /// Begins a transfer. Returns whether the driver acknowledges the address.
  mutating func begin(_ called: UInt8, reads: Bool) -> Bool {
    isGeneralCall = called == Self.generalCall && !reads
    let isAllCall =
      MODE1 & Bit.ALLCALL != 0 && called == registers[Int(Register.ALLCALLADR)] >> 1
    guard called == address || isAllCall || isGeneralCall else { return false }
    awaitsPointer = !reads
    return true
  }

  /// Takes a byte. Returns whether the driver acknowledges it, and the channels that changed.
  mutating func write(_ byte: UInt8) -> (isAcknowledged: Bool, changes: [Change]) {
    if isGeneralCall {
      guard byte == Self.softwareReset else { return (false, []) }
      let changes = stopAll()
      self = PCA9685(address: address)
      isGeneralCall = true
      return (true, changes)
    }
    if awaitsPointer {
      awaitsPointer = false
      pointer = byte
      return (true, [])
    }
    store(byte)
    advance()
    let isAtOnce = isAsleep || registers[Int(Register.MODE2)] & Bit.OCH != 0
    return (true, isAtOnce ? applyChannels() : [])
  }

  /// Returns the next byte for the master.
  mutating func read() -> UInt8 {
    defer { advance() }
    switch pointer {
    case ...Register.LED15End: return registers[Int(pointer)]
    case Register.PRE_SCALE: return prescale
    default: return 0
    }
  }

  /// Ends a transfer. Returns the channels that changed.
  mutating func end() -> [Change] { applyChannels() }

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

  /// Applies the written registers to the channels' pulses. Returns the pulses that have changed.
  private mutating func applyChannels() -> [Change] {
    if isAsleep { return stopAll() }
    guard hasWritten else { return [] }
    hasWritten = false
    MODE1 &= ~Bit.RESTART
    let count = UInt32(prescale) + 1
    return (0..<Self.channelCount).compactMap { channel in
      let pulse = (counts(of: channel) * count + Self.megahertz / 2) / Self.megahertz
      return report(UInt16(min(pulse, UInt32(UInt16.max))), on: channel)
    }
  }

  private mutating func stopAll() -> [Change] {
    (0..<Self.channelCount).compactMap { report(0, on: $0) }
  }

  /// Returns the pulse of a channel if it is another one than before.
  private mutating func report(_ microseconds: UInt16, on channel: Int) -> Change? {
    guard microseconds != reported[channel] else { return nil }
    reported[channel] = microseconds
    return Change(
      address: address, channel: UInt8(channel), microseconds: microseconds,
      periodMicroseconds: Self.periodCounts * (UInt32(prescale) + 1) / Self.megahertz)
  }
}
