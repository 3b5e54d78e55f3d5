import AVR
package import Turret

// The chip beside its program, the line, and what has been seen so far. The program stays in its
// file.
extension AVRDevice: RestorableDevice {
  package static let kind = "avr"

  /// The program that the state's chip runs.
  static let programKey = CodingUserInfoKey(rawValue: "program")!

  private enum CodingKeys: CodingKey {
    case pin, chip, origin, line, seen, sketchStart, hasStarted
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let snapshot = try container.decode(ChipSnapshot.self, forKey: .chip)
    let pin = try container.decode(Int.self, forKey: .pin)
    guard let program = decoder.userInfo[Self.programKey] as? AVRProgram else {
      preconditionFailure("nobody said which program it runs")
    }
    let original = program.makeChip()
    guard snapshot.program == original.programDigest else {
      throw StateRefusal(
        message:
          "expected the state of \(program.name), found that of another program or bootloader")
    }
    guard pin == program.pinNumber else {
      throw StateRefusal(
        message: "expected the state of a board with its servo on pin \(program.pinNumber), "
          + "found one with --pin \(pin)")
    }
    guard let chip = ATmega328P(snapshot, of: original) else {
      throw DecodingError.dataCorruptedError(
        forKey: .chip, in: container, debugDescription: "no chip can be like this")
    }
    self.init(
      program, chip, try container.decode(SerialLine.self, forKey: .line),
      clock: ChipClock(origin: try container.decode(UInt64.self, forKey: .origin)),
      sketchStart: try container.decode(Instant.self, forKey: .sketchStart),
      hasStarted: try container.decode(Bool.self, forKey: .hasStarted))
    reader.resume(try container.decode(ChipReader.Memory.self, forKey: .seen), on: chip)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(program.pinNumber, forKey: .pin)
    try container.encode(chip.snapshot(since: program.makeChip()), forKey: .chip)
    try container.encode(clock.origin, forKey: .origin)
    try container.encode(line, forKey: .line)
    try container.encode(reader.present, forKey: .seen)
    try container.encode(sketchStart, forKey: .sketchStart)
    try container.encode(hasStarted, forKey: .hasStarted)
  }

  package mutating func resume(
    _ firmware: Firmware, at instant: Instant, baud: Int, showsPulses: Bool
  ) -> Bool {
    guard clock.isPossible, sketchStart != .distantFuture,
      line.isPossible(baud: line.receiverBaud), line.nextDeadline.map({ $0 > instant }) ?? true,
      // All that begins by then has been done, unless nothing can be.
      chip.fault != nil || chip.cycle > clock.cycle(of: instant)
    else { return false }
    now = instant
    self.baud = baud
    show(pulses: showsPulses)
    return true
  }
}
