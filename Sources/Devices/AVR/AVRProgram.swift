package import AVR
import Traces
import Turret

/// A program for the emulated chip, and what to observe while it runs.
package struct AVRProgram: Hashable, Sendable {
  /// By then a sketch has shown how it drives its servo, bootloader included.
  static let startUpMax = Interval.seconds(4)

  /// The name the user gave, for messages.
  package let name: String
  private let image: ProgramImage
  private let bootloader: ProgramImage?
  /// The servo's Arduino pin.
  package let pinNumber: Int
  private let pin: Pin
  /// The kinds of output that can be observed while it runs.
  private(set) var observes: Set<Output.Kind> = [.transmit, .pulse, .tone, .lost]

  /// `pin` is an Arduino pin, 0...19.
  package init(_ image: ProgramImage, name: String, bootloader: ProgramImage?, pin: Int) {
    self.image = image
    self.name = name
    self.bootloader = bootloader
    pinNumber = pin
    self.pin = Pin(arduino: pin)!
    if drivesServo() { observes.insert(.servo) }
  }

  var hasBootloader: Bool { bootloader != nil }

  /// Where the bootloader begins; nil if there is none.
  private var bootSection: UInt16? { bootloader?.segments.map { $0.address }.min() }

  /// Identifies the program in a state file.
  package var digest: String { makeChip().programDigest }

  func makeChip(withBootloader: Bool = true) -> ATmega328P {
    let bootloader = withBootloader ? bootloader : nil
    let bootSection = withBootloader ? bootSection : nil
    let all = image.segments + (bootloader?.segments ?? [])
    let segments = all.map { (address: Int($0.address), bytes: $0.bytes) }
    var chip = ATmega328P(flash: segments, bootloader: bootSection.map { Int($0) })
    for (address, byte) in (image.eeprom ?? []).enumerated() { chip.eeprom[address] = byte }
    if let table { chip.watch(table.addresses) }
    return chip
  }

  func makeReader(showsPulses: Bool, clock: ChipClock) -> ChipReader {
    ChipReader(
      pin: pin, table: table, showsPulses: showsPulses,
      bootSection: bootSection, clock: clock)
  }

  private var tableSymbol: Symbol? {
    image.symbols[ServoTable.symbol].flatMap { $0.memory == .data ? $0 : nil }
  }

  /// Nil if there is no table, or it is not laid out like that of Arduino's library.
  private var table: ServoTable? {
    guard let symbol = tableSymbol, symbol.size == ServoTable.size,
      let end = UInt16(exactly: UInt32(symbol.address) + symbol.size)
    else { return nil }
    return ServoTable(at: symbol.address..<end, pin: pinNumber)
  }

  /// Whether stores of a pulse width can be observed: in the servo library's table, or in Timer 1's
  /// registers once the program lets it drive the pin.
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

  // MARK: Messages

  /// Returns a flash address and the name of the symbol there.
  private func place(_ address: UInt16) -> String {
    let digits = String(address, radix: 16, uppercase: true)
    let number = "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return image.symbols.place(of: address).map { "\(number), in \($0)" } ?? number
  }

  func error(_ fault: Fault, at instant: Instant) -> DeviceError {
    func hexadecimal(_ value: some BinaryInteger) -> String {
      "0x" + String(value, radix: 16, uppercase: true)
    }
    let reason =
      switch fault.cause {
      case .reserved(let word): "\(hexadecimal(word)) is not an instruction of the ATmega328P"
      case .erased: "nothing was programmed there"
      case .jumpOutside(let target):
        "it leads to \(hexadecimal(target)), past the end of the flash (0x7FFF)"
      case .ranOutside: "it ran over the end of the flash"
      case .stack(let address):
        "its stack is at \(hexadecimal(address)), where there is no SRAM (0x100...0x8FF)"
      case .data(let address):
        "it uses address \(hexadecimal(address)), past the end of the SRAM (0x8FF)"
      }
    let time = String(shortest: instant - .zero)
    return DeviceError(
      .crashed,
      "\(name): error: the program crashed at \(place(fault.address)), \(time) s: \(reason)")
  }

  func sentence(_ remark: ChipRemark) -> String {
    let time = String(shortest: remark.instant - .zero)
    switch remark.kind {
    case .notEmulated(let notice):
      return
        "\(name): note: \(notice.name) at \(place(notice.address)) is not emulated"
    case .stuck(let address, let isAsleep):
      let what = isAsleep ? "sleeps" : "loops"
      return
        "\(name): note: from \(time) s on it \(what) at \(place(address)) with interrupts off: "
        + "only a reset ends that"
    case .watchdog:
      return "\(name): note: the watchdog restarted the board at \(time) s"
    case .hidesServo:
      let advice =
        if let symbol = tableSymbol {
          ": its table of servos has \(symbol.size) bytes, that of Arduino's servo library has "
            + "\(ServoTable.size)"
        } else if image.symbols.isEmpty {
          ": an .elf may show it"
        } else {
          ""
        }
      return
        "\(name): note: what it stores for the servo cannot be seen, only pulses\(advice)"
    }
  }
}
