package import AVR
import Turret

/// A program for the emulated chip and what is to be watched while it runs.
package struct AVRProgram: Hashable, Sendable {
  /// A sketch has shown by then how it drives its servo, bootloader included.
  static let startUpMax = Interval.seconds(4)
  private static let bootSection = UInt16(ATmega328P.bootloaderStart)

  /// For messages, as the user gave it.
  package let name: String
  private let image: ProgramImage
  private let bootloader: ProgramImage?
  /// The servo's Arduino pin.
  private let pinNumber: Int
  private let pin: Pin
  /// The kinds of output that can be seen while it runs.
  private(set) var observes: Set<Output.Kind> = [.transmit, .pulse, .tone, .lost]

  /// `pin`: an Arduino pin, 0...19.
  package init(_ image: ProgramImage, name: String, bootloader: ProgramImage?, pin: Int) {
    self.image = image
    self.name = name
    self.bootloader = bootloader
    pinNumber = pin
    self.pin = Pin(arduino: pin)!
    if drivesServo() { observes.insert(.servo) }
  }

  var hasBootloader: Bool { bootloader != nil }

  func makeChip() -> ATmega328P {
    var segments = image.segments.map { (address: $0.address, bytes: $0.bytes) }
    segments += bootloader?.segments.map { (address: $0.address, bytes: $0.bytes) } ?? []
    var chip = ATmega328P(flash: segments, startsInBootloader: hasBootloader)
    if let table { chip.watch(table.addresses) }
    return chip
  }

  func makeReader(showsPulses: Bool, clock: ChipClock) -> ChipReader {
    ChipReader(
      pin: pin, table: table, showsPulses: showsPulses,
      bootSection: hasBootloader ? Self.bootSection : nil, clock: clock)
  }

  private var table: ServoTable? {
    guard let symbol = image.symbols[ServoTable.symbol], symbol.space == .data, symbol.size >= 3 else { return nil }
    let start = UInt16(truncatingIfNeeded: symbol.address)
    return ServoTable(at: start..<start + UInt16(truncatingIfNeeded: symbol.size), pin: pinNumber)
  }

  /// Whether stores of a width can be seen: in the servo library's table, or in Timer 1's registers once
  /// the program has it drive the pin.
  private func drivesServo() -> Bool {
    if table != nil { return true }
    var chip = makeChip()
    var reader = makeReader(showsPulses: false, clock: ChipClock())
    var recorder = Recorder()
    let end = ChipClock.cycles(in: Self.startUpMax)
    let step = ChipClock.cycles(in: .milliseconds(20))
    while chip.cycle < end, chip.fault == nil {
      chip.run(until: chip.cycle + step)
      for event in chip.takeEvents() { reader.read(event, into: &recorder) }
      if reader.seesServo { return true }
    }
    return false
  }
}
