package import AVR
package import Devices
package import Sketches
package import Traces

/// A program for the emulated chip, and what to observe while it runs.
package struct AVRProgram: Hashable, Sendable {
  /// The time within which a sketch shows how it drives its servo, including the bootloader.
  static let startUpMax = Interval.seconds(4)
  /// The number of the chip's events after which such a search ends early: a program that changes
  /// its pins with every few instructions runs some fifty times more slowly than others. A number
  /// of events, not a time of the computer's, so that all computers find the same.
  static let startUpEventsMax = 300_000

  /// The name the user gave, for messages.
  package let name: String
  private let image: ProgramImage
  private let bootloader: ProgramImage?
  package let wiring: ChipWiring
  /// Whether servos can be found only by their pulses, because what the sketch stores for them
  /// cannot be observed.
  private(set) var findsServosByPulses = false
  /// Whether what it stores for its servos is in the table of Arduino's library, so that the pulses
  /// can be compared with it.
  private(set) var showsTwitches = false
  /// When the search for what it stores ended early; nil if it did not.
  private var searchEnd: Instant?
  /// The interrupts that the program handles, a bit for each vector number.
  private var handlers: UInt32

  /// The kinds of output that can be observed while it runs.
  static let observes: Set<Output.Kind> = [
    .transmit, .servo, .pulse, .tone, .lost, .pin, .attached, .detached,
  ]

  package init(
    _ image: ProgramImage, name: String, bootloader: ProgramImage? = nil,
    wiring: ChipWiring = ChipWiring()
  ) {
    self.image = image
    self.name = name
    self.bootloader = bootloader
    self.wiring = wiring
    handlers = Self.handlers(in: image)
    // The servo library's own interrupt, which makes the pulses that its table states.
    showsTwitches = table != nil
    if showsTwitches { handlers &= ~Self.servoVector }
    if !wiring.hasDriver { (findsServosByPulses, searchEnd) = searchStores() }
  }

  /// The Arduino pin of the session's own servo.
  package var servoPin: Int { wiring.servo.arduino ?? 9 }
  /// The chip's pin that the sender's line is connected to; nil for the USART's.
  var receivePin: Pin? { wiring.receivePin?.arduino.flatMap { Pin(arduino: $0) } }

  /// The pin whose levels the receiver at the other end reads as bytes; nil if only USART0 sends.
  ///
  /// Without another pin it is D1, to which an Uno's USB chip listens, whoever drives it: if
  /// outputs lag anyway, because a byte is known only when it is complete.
  var transmitPin: Pin? {
    if let pin = wiring.transmitPin?.arduino { return Pin(arduino: pin) }
    if findsSender { return nil }
    return findsServosByPulses ? Pin(.D, 1) : nil
  }
  /// Whether the host is connected to a pin other than USART0's.
  var hidesUSART: Bool { wiring.transmitPin.map { $0.arduino != 1 } ?? false }
  /// Whether the pin on which the program sends by software is to be found: it receives by
  /// software, and no pin was named for the other direction.
  var findsSender: Bool { wiring.receivePin != nil && wiring.transmitPin == nil }
  /// Whether the program can make a tone by an interrupt of Timer 1 or 2.
  var findsTonesByInterrupt: Bool {
    findsServosByPulses || handlers & Self.compareVectors != 0
  }

  /// Compare match A of Timer 1.
  private static let servoVector: UInt32 = 1 << 11
  /// Compare matches of Timers 2 and 1.
  private static let compareVectors: UInt32 = 1 << 7 | 1 << 8 | 1 << 11 | 1 << 12

  /// The interrupts for which an image has a handler, a bit for each vector number. The others
  /// jump to a common one.
  private static func handlers(in image: ProgramImage) -> UInt32 {
    var targets: [UInt16: UInt32] = [:]
    for segment in image.segments where segment.address == 0 {
      for vector in 1...25 {
        let place = 4 * vector
        guard place + 3 < segment.bytes.count else { continue }
        let first = UInt16(segment.bytes[place]) | UInt16(segment.bytes[place + 1]) << 8
        var target = UInt16(segment.bytes[place + 2]) | UInt16(segment.bytes[place + 3]) << 8
        if first & 0xF000 == 0xC000 {
          // RJMP, to which a linker can shorten a JMP: a signed distance of 12 bits from the next
          // word. The program counter of 32 KB has 14 bits.
          let distance = first & 0x0FFF | (first & 0x0800 == 0 ? 0 : 0xF000)
          target = (UInt16(2 * vector + 1) &+ distance) & 0x3FFF
        } else if first != 0x940C {
          // JMP, whose second word is the target.
          continue
        }
        targets[target, default: 0] |= 1 << UInt32(vector)
      }
    }
    var handlers: UInt32 = 0
    for vectors in targets.values where vectors.nonzeroBitCount == 1 { handlers |= vectors }
    return handlers
  }

  /// What the program's file says about its code. It is read again each time.
  package var sourceMap: SourceMap { image.sourceMap }

  /// Where its memory is, as far as its symbols say.
  var layout: ProgramLayout {
    var layout = ProgramLayout()
    let sram: ClosedRange<UInt32> = 0x100...UInt32(part.sramEnd)
    for symbol in image.symbols.symbols where symbol.memory == .data {
      let end = UInt32(symbol.address) + symbol.size
      // avr-libc's scripts for the linker end the variables with these.
      guard symbol.kind == .object || ["__data_end", "__bss_end", "_end"].contains(symbol.name)
      else { continue }
      if sram.contains(end) { layout.staticEnd = max(layout.staticEnd ?? 0, UInt16(end)) }
    }
    // What is behind the code are the first values of variables.
    let codeEnd = image.symbols["_etext"].flatMap { $0.memory == .flash ? UInt32($0.address) : nil }
    for segment in image.segments + (bootloader?.segments ?? []) {
      let code = UInt32(segment.address)..<UInt32(segment.address) + UInt32(segment.bytes.count)
      let end = codeEnd.map { code.contains($0) ? $0 : code.upperBound } ?? code.upperBound
      layout.code.append(code.lowerBound..<end)
    }
    if let end = image.symbols["__brkval"], end.memory == .data {
      layout.heapEnd = sram.contains(UInt32(end.address) + 1) ? end.address : nil
    }
    return layout
  }

  /// The address of the first byte of the flash that another program fills and that is different
  /// here; nil if there is none.
  package func firstDifference(from other: AVRProgram) -> UInt16? {
    let (own, others) = (image.words, other.image.words)
    for segment in other.image.segments {
      for address in segment.address..<segment.address + UInt16(segment.bytes.count) {
        let mask: UInt16 = address & 1 == 0 ? 0x00FF : 0xFF00
        if (own[Int(address) / 2] ^ others[Int(address) / 2]) & mask != 0 { return address }
      }
    }
    return nil
  }

  /// Where the sketch's `loop` is; nil if the file does not show it.
  func loopCode(_ map: SourceMap) -> LoopCode? { map.loopCode(in: image.words) }

  package var part: EmulatedPart { wiring.part ?? image.part ?? .atmega328p }

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
    var chip = ATmega328P(
      flash: segments, bootloader: bootSection.map { Int($0) }, part: part, rate: wiring.rate)
    for (address, byte) in (image.eeprom ?? []).enumerated() { chip.eeprom[address] = byte }
    if let table {
      for addresses in table.watched { chip.watch(addresses) }
      for address in table.entries { chip.watchEntry(at: address) }
    }
    for part in wiring.parts { _ = chip.attach(part.kind, at: part.chipPlace) }
    if let noise = wiring.noise { chip.add(noise) }
    // What is too fast to be heard is followed only on selected pins.
    chip.set(PinWatch(wires: []))
    // An idle line is high, the one from an Uno's USB chip too.
    chip.drive(.RXD, true)
    if let receivePin { chip.drive(receivePin, true) }
    // The receiver at the other end pulls its line up, as an Uno's USB chip does on D1. So a pin
    // that the program does not drive is no start bit.
    if let transmitPin { chip.drive(transmitPin, true) }
    return chip
  }

  func makeReader(showsPulses: Bool, clock: ChipClock) -> ChipReader {
    var found = Findings(
      pin: servoPin, clock: clock, rate: wiring.rate, range: wiring.servoRange,
      showsPulses: showsPulses, transmitPin: transmitPin)
    // The table is another library's.
    if findsServosByPulses, table == nil, tableSymbol != nil { found.remark(.hidesServo, at: 0) }
    let toneLimits = ToneLimits(wiring.rate)
    return ChipReader(
      found: found, timers: TimerObserver(toneLimits), library: LibraryObserver(table),
      pulses: PulseObserver(findsServos: findsServosByPulses, clock),
      tones: ToneObserver(toneLimits, findsByInterrupt: findsTonesByInterrupt),
      sender: SenderObserver(finds: findsSender), channels: ChannelObserver(wiring),
      bytes: ByteObserver(bootSection: bootSection, hidesUSART: hidesUSART))
  }

  private var tableSymbol: Symbol? {
    let name = ServoTable.symbol
    // Link-time optimization can add a number to the name of a local symbol.
    let symbol =
      image.symbols[name]
      ?? image.symbols.symbols.first { $0.name.utf8.starts(with: (name + ".lto_priv").utf8) }
    return symbol.flatMap { $0.memory == .data ? $0 : nil }
  }

  /// The servo library's table; nil if there is none or it is not laid out like that of Arduino's
  /// library.
  private var table: ServoTable? {
    guard let symbol = tableSymbol, symbol.size == ServoTable.size,
      let end = UInt16(exactly: UInt32(symbol.address) + symbol.size)
    else { return nil }
    return ServoTable(
      at: symbol.address..<end, ServoRanges(image.symbols, image.servoObjects), wiring.rate)
  }

  /// Returns whether stores of a pulse width cannot be observed: in the servo library's table, or
  /// in a timer's registers once the program lets it drive a pin at a servo's period. Also returns
  /// when the search ended early.
  private func searchStores() -> (areHidden: Bool, end: Instant?) {
    if table != nil { return (false, nil) }
    let clock = ChipClock(wiring.rate)
    var reader = makeReader(showsPulses: false, clock: clock)
    var recorder = Recorder()
    let run = trialRun(of: makeChip(), for: Self.startUpMax, eventsMax: Self.startUpEventsMax) {
      for event in $1 {
        // Levels of pins do not show a store.
        switch event.event {
        case .pin, .wire: continue
        default: reader.read(event, into: &recorder)
        }
      }
      return reader.seesStores
    }
    if reader.seesStores { return (false, nil) }
    return (true, run.isCut ? clock.instant(of: run.chip.cycle) : nil)
  }

  // MARK: Messages

  /// Returns a flash address and the name of the symbol there.
  private func place(_ address: UInt16) -> String {
    let number = "0x" + String(address, radix: 16, digits: 4, uppercase: true)
    return image.symbols.place(of: address).map { "\(number), in \($0)" } ?? number
  }

  /// The error for the fault of a chip, with the calls that led there as far as the file shows
  /// them.
  func error(_ fault: Fault, at instant: Instant, in chip: ATmega328P) -> DeviceError {
    func hexadecimal(_ value: some BinaryInteger) -> String {
      "0x" + String(value, radix: 16, uppercase: true)
    }
    let flashEnd = hexadecimal(part.flashSize - 1)
    let sramEnd = hexadecimal(part.sramEnd)
    let reason =
      switch fault.cause {
      case .reserved(let word): "\(hexadecimal(word)) is not an instruction of the \(part.name)"
      case .erased where Int(fault.address) >= part.flashSize:
        "it is past the end of the flash (\(flashEnd))"
      case .erased: "nothing was programmed there"
      case .jumpOutside(let target):
        "it leads to \(hexadecimal(target)), past the end of the flash (\(flashEnd))"
      case .ranOutside: "it ran past the end of the flash"
      case .stack(let address):
        "its stack is at \(hexadecimal(address)), where there is no SRAM (0x100...\(sramEnd))"
      case .data(let address):
        "it uses address \(hexadecimal(address)), past the end of the SRAM (\(sramEnd))"
      }
    let time = String(shortest: instant - .zero)
    return DeviceError(
      .crashed,
      "\(name): error: the program crashed at \(place(fault.address)), \(time) s: \(reason)"
        + calls(in: chip))
  }

  /// The most functions that a message lists.
  private static let callsMax = 6

  /// `; it was in strcpy in parse (turret.ino:9) in loop`
  private func calls(in chip: ATmega328P) -> String {
    let map = sourceMap
    guard map.origin != .nothing else { return "" }
    var places = CallStack(of: chip, map).frames.map { $0.place }
    var words = "it was in"
    if map.places(at: UInt32(chip.programCounter)).isEmpty {
      // A call that has led out of the code has left where it came from on the stack.
      let stack = chip.stackPointer
      guard let high = chip[data: stack &+ 1], let low = chip[data: stack &+ 2] else { return "" }
      let back = Int(high) << 8 | Int(low)
      let all = image.words
      // ICALL (AVR instruction set manual).
      guard all.indices.contains(back), back > 0, all[back - 1] == 0x9509 else { return "" }
      (places, words) = (map.places(at: UInt32(back - 1) << 1), "it was called from")
    }
    guard !places.isEmpty else { return "" }
    // Behind what was overwritten on the stack, addresses are no calls.
    let names = places.prefix { !$0.function.utf8.starts(with: "0x".utf8) }
      .prefix(Self.callsMax).map { $0.text }
    guard !names.isEmpty else { return "" }
    return "; \(words) \(names.joined(separator: " in "))"
  }

  /// The remark about the part that the program's file names, if it is not an Uno's.
  var partRemarks: [String] {
    guard wiring.part == nil, let named = image.part, named != .atmega328p else { return [] }
    return [
      "\(name): note: it is for an \(named.name), and runs on one: "
        + "\(named.flashSize / 1_024) KB of flash, \(named.sramSize) bytes of RAM, "
        + "\(named.eepromSize) bytes of EEPROM"
    ]
  }

  /// `twitches` are those so far.
  func sentence(_ remark: ChipRemark, _ twitches: TwitchWatch) -> String {
    "\(name): note: \(text(of: remark, twitches))"
  }

  func text(of remark: ChipRemark, _ twitches: TwitchWatch) -> String {
    let time = String(shortest: remark.instant - .zero)
    let whole = String(shortest: remark.instant.roundedUpToMicrosecond - .zero)
    switch remark.kind {
    case .notEmulated(let notice):
      return "\(notice.name) at \(place(notice.address)) is not emulated"
    case .silentDevice(let address?):
      return "a device at 0x\(String(address, radix: 16, digits: 2)) does not answer: `--attach` "
        + "connects a servo driver to the two-wire bus"
    case .silentDevice(nil): return "devices at more addresses of the two-wire bus do not answer"
    case .nothingListens(let pins):
      let advice =
        pins.isEmpty
        ? ""
        : ": if SoftwareSerial reads \(pins.joined(separator: " or ")), `--rx-pin` connects the "
          + "sender there"
      return "the USART was off at \(whole) s, so a byte was lost\(advice)"
    case .neverReads(let pins):
      return "it has read none of the bytes that its USART received: if SoftwareSerial reads "
        + "\(pins.joined(separator: " or ")), `--rx-pin` connects the sender there"
    case .tooFast(let hertz):
      let pin = wiring.servo.name
      return "a timer switches \(pin) at \(hertz) Hz, too fast for a servo or a tone: "
        + "`--pins \(pin)` shows its levels"
    case .starved(let vector):
      return "from \(time) s on interrupts follow each other without a break (the last is vector "
        + "\(Int(vector) + 1)), so the program itself hardly runs"
    case .sendsOn(let pin):
      return "it sends on \(pin) by software, and its bytes are shown from the first that is "
        + "certain: `--tx-pin \(pin)` shows all"
    case .stuck(let address, let isAsleep):
      return "from \(time) s on it \(isAsleep ? "sleeps" : "loops") at \(place(address)) with "
        + "interrupts off: only a reset ends that"
    case .watchdog: return "the watchdog restarted the board at \(time) s"
    case .hidesServo:
      let advice =
        if let symbol = tableSymbol {
          ": its table of servos has \(symbol.size) bytes, that of Arduino's servo library has "
            + "\(ServoTable.size)"
        } else if let searchEnd {
          ": the search ended at \(String(shortest: searchEnd - .zero)) s, because it changes its "
            + "pins so often"
        } else if image.symbols.isEmpty {
          ": an .elf may show it"
        } else {
          ""
        }
      return "what it stores for the servo cannot be seen, only pulses\(advice)"
    case .assumesRange:
      let range = wiring.servoRange ?? .standard
      let isOwn = wiring.servoRange == nil && ServoRanges.setsMicroseconds(image.symbols)
      let reason =
        isOwn ? "it sets its servos in microseconds" : "it does not show its servos' ranges"
      return (wiring.servoRange == nil ? reason : "--servo-range is used for all its servos")
        + ": their angles are those of \(range.minimum) to \(range.maximum) us"
        + (wiring.servoRange == nil ? " (--servo-range)" : "")
    case .twitches(let pin): return BoardPin(name: pin).map { twitches.sentence(on: $0) } ?? ""
    case .memory(let text): return "\(text) (at \(whole) s)"
    case .leftHigh(let pin):
      return "the servo on \(pin) was detached at \(whole) s in the middle of a pulse, which left "
        + "the pin high"
    case .servoElsewhere(let pin):
      return "its servo is on \(pin), which its events name; --pin \(pin) makes it the session's "
        + "own"
    }
  }
}

/// Creates emulated Arduino Unos that run a program.
package struct AVRSource: DeviceSource {
  package let program: AVRProgram
  private let skipsWaiting: Bool

  /// `skipsWaiting` skips idle waiting, which changes nothing but the running time.
  package init(_ program: AVRProgram, skipsWaiting: Bool = true) {
    self.program = program
    self.skipsWaiting = skipsWaiting
  }

  package var name: String { "avr" }
  package var runsAnyProgram: Bool { true }
  package var programFile: String? { program.name }
  package var inputs: [BoardInput] { program.wiring.inputs }
  package var pins: PinSelection { program.wiring.pins }
  package var isRestless: Bool { program.isRestless }
  package var showsStores: Bool { !program.findsServosByPulses }
  package var showsTwitches: Bool { program.showsTwitches }
  package var servoRange: ServoRange? { program.wiring.servoRange }
  /// Software that samples a pin has no speed or format that could be found.
  package func findSpeed() -> Int? { program.receivePin == nil ? program.findSpeed() : nil }
  package func findFormat() -> LineFormat {
    program.receivePin == nil ? program.findFormat() : .standard
  }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { AVRProgram.observes }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> AVRDevice {
    var device = AVRDevice(
      program, for: header, showsPulses: showsPulses, skipsWaiting: skipsWaiting)
    device.watch(pins)
    return device
  }
}

/// The chip of an emulated board, what is connected to it, and what is observed there.
package struct ChipWiring: Hashable, Sendable {
  /// The part; nil for the one that the program names, and an ATmega328P if it names none.
  package var part: EmulatedPart?
  package var rate = ClockRate.uno
  /// The noise of the ADC; nil for none.
  package var noise: ADCNoise?
  /// The pin of the session's own servo. Events of other servos name theirs.
  package var servo = BoardPin.usualServo
  /// The range of all servos; nil for each one's own, or the standard one if that is not known.
  package var servoRange: ServoRange?
  /// The pin that the sender's line is connected to, for a program that receives by software; nil
  /// for the USART's.
  package var receivePin: BoardPin?
  /// The pin that the sender's receiver is connected to, for a program that sends by software; nil
  /// for the USART's.
  package var transmitPin: BoardPin?
  /// What is wired to the board beside its servo.
  package private(set) var parts: [BoardPart] = []
  /// What is applied to pins before the board starts.
  package var inputs: [BoardInput] = []
  /// The pins whose levels are reported.
  package var pins = PinSelection.some([])

  package init() {}

  /// The most parts on a board.
  package static var partsMax: Int { ATmega328P.partsMax }
  /// What can be wired to the board, for messages.
  package static var kinds: [PartKind] { ATmega328P.partKinds }

  /// Adds a part. Returns false if there is no such part, or if it cannot be there.
  package mutating func attach(_ part: BoardPart) -> Bool {
    guard parts.count < Self.partsMax, !parts.contains(where: { $0.place == part.place }),
      ATmega328P.canAttach(part.kind, at: part.chipPlace)
    else { return false }
    parts.append(part)
    return true
  }

  /// Whether a servo can be on a driver instead of on a pin.
  var hasDriver: Bool { parts.contains { number(ofDriver: $0) != nil } }

  /// The number of a part that has an address, so that its channels have names.
  private func number(ofDriver part: BoardPart) -> UInt8? {
    guard case .address = part.place else { return nil }
    return parts.firstIndex(of: part).map { UInt8($0) }
  }

  /// The number of the part whose channel this is; nil if it is none's.
  package func part(of channel: BoardPin) -> UInt8? {
    guard let address = channel.driver?.address else { return nil }
    return parts.firstIndex { $0.place == .address(address) }.map { UInt8($0) }
  }

  /// The name of a part's channel.
  func channel(_ channel: UInt8, of part: UInt8) -> BoardPin? {
    guard parts.indices.contains(Int(part)), case .address(let address) = parts[Int(part)].place
    else { return nil }
    return BoardPin(driver: address, channel: channel)
  }

  /// Returns why no part is wired that takes an input; nil if there is one, or if it is a pin's.
  package func refusal(of input: BoardInput) -> String? { input.refusal(by: partInputs) }

  /// What each part can be told.
  package var partInputs: [BoardPart: PartInput] {
    var inputs: [BoardPart: PartInput] = [:]
    for part in parts {
      let input = Self.kinds.first { $0.name == part.kind }?.input
      inputs[part] = PartInput(
        noun: input?.noun ?? "",
        range: input.map { $0.range.lowerBound..<$0.range.upperBound + 1 } ?? 0..<0)
    }
    return inputs
  }
}

extension BoardPart {
  /// Its place by the chip's own names.
  fileprivate var chipPlace: PartPlace {
    switch place {
    case .address(let address): .address(address)
    case .pins(let pins): .pins(pins.compactMap { $0.arduino.flatMap { Pin(arduino: $0) } })
    }
  }
}

/// A remark about a program that its user should see.
struct ChipRemark: Hashable, Sendable, Codable {
  enum Kind: Hashable, Sendable, Codable {
    case notEmulated(Notice)
    /// No device on the two-wire bus has this address; nil for more addresses than are named.
    case silentDevice(UInt8?)
    /// USART0's receiver is off, and these pins look like those of a receiver by software.
    case nothingListens([String])
    /// The program reads nothing from USART0, and these pins look like those of a receiver by
    /// software.
    case neverReads([String])
    /// A timer switches the session's own servo pin this often a second, too fast for a servo or a
    /// tone.
    case tooFast(hertz: UInt32)
    /// The program itself hardly runs, because interrupts follow each other without a break. The
    /// last was this vector.
    case starved(by: UInt8)
    /// The program sends bytes on this pin by software.
    case sendsOn(String)
    /// The program loops or sleeps at a byte address with interrupts off, and can never continue.
    case stuck(at: UInt16, isAsleep: Bool)
    case watchdog
    /// Stores of a servo's width cannot be observed: no timer drives it, and the servo library's
    /// table does not exist. Only of a program that has a servo, as its pulses or another library's
    /// table show.
    case hidesServo
    /// The only servo is on this pin, not on the session's own.
    case servoElsewhere(String)
    /// The range of a servo is not known, so that another one is assumed for its angles.
    case assumesRange
    /// The servo on this pin was detached in the middle of a pulse.
    case leftHigh(String)
    /// Pulses on this pin were not as the sketch had stored.
    case twitches(String)
    /// What the program did that a correct one does not do with its memory, and where, in words.
    case memory(String)
  }

  var kind: Kind
  var instant: Instant
}

// What a short run shows of a sketch: its speed and format, and whether it rests.
extension AVRProgram {
  /// The most events in 100 ms of a sketch that is not restless.
  private static let restEventsMax = 30_000

  /// Returns the speed that the sketch has set when it first receives or sends; nil if its USART is
  /// off until `startUpMax`. A transmitter that is on counts only once it sends, since its speed
  /// can be set later; if it never does, its last speed counts.
  func findSpeed() -> Int? {
    guard let baud = chipWithOpenPort.usartBaud else { return nil }
    let speed = SerialLine.usualSpeed(near: baud)
    return SerialLine.bauds.contains(speed) ? speed : nil
  }

  /// Returns the format that the sketch has set then; 8N1 if its USART is off.
  func findFormat() -> LineFormat {
    let chip = chipWithOpenPort
    return chip.usartBaud == nil ? .standard : LineFormat(chip.usartFormat)
  }

  /// The chip when the sketch first receives or sends, or after `startUpMax` or `startUpEventsMax`.
  private var chipWithOpenPort: ATmega328P {
    let chip = makeChip(withBootloader: false)
    return trialRun(of: chip, for: Self.startUpMax, eventsMax: Self.startUpEventsMax) {
      chip, events in
      chip.isReceiving
        || events.contains { if case .transmit = $0.event { true } else { false } }
    }.chip
  }

  /// Whether the sketch changes its pins so often that seconds of it take long to run. The bench's
  /// sketches make some hundred events a second.
  var isRestless: Bool {
    let chip = makeChip(withBootloader: false)
    let run = trialRun(of: chip, for: .milliseconds(100), eventsMax: Self.restEventsMax + 1) {
      _, _ in false
    }
    return run.eventCount > Self.restEventsMax
  }

  /// Runs a chip until `isOver` of a millisecond's events, or for a time or a number of events.
  /// `isCut` is whether that number ended it.
  private func trialRun(
    of chip: ATmega328P, for time: Interval, eventsMax: Int,
    until isOver: (ATmega328P, [TimedChipEvent]) -> Bool
  ) -> (chip: ATmega328P, eventCount: Int, isCut: Bool) {
    var chip = chip
    let clock = ChipClock(wiring.rate)
    let end = clock.cycles(in: time)
    let step = clock.cycles(in: .milliseconds(1))
    var count = 0
    while chip.cycle < end, chip.fault == nil, count < eventsMax {
      chip.run(until: chip.cycle + step)
      let events = chip.takeEvents()
      count += events.count
      if isOver(chip, events) { break }
    }
    return (chip, count, chip.cycle < end && chip.fault == nil && count >= eventsMax)
  }
}
