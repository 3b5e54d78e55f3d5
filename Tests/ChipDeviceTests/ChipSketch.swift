import AVR
import ChipDevice
import Devices
import Sketches
import TestSupport
import Traces

/// A program for the emulated chip, written as writes of registers and pauses.
struct ChipSketch {
  var words: [UInt16] = []
  /// The size of the symbol `_ZL6servos`; nil without it.
  var tableSize: UInt32?
  /// The addresses of symbols of three bytes.
  var objects: [UInt16] = []
  /// The functions that begin within the program, by their byte addresses.
  var functions: [(name: String, address: UInt16)] = []
  /// Whether link-time optimization has made them local.
  var isOptimized = false
  var wiring = ChipWiring()

  /// Writes a byte to an address of the data space: LDI R16; STS, 3 cycles.
  func write(_ value: UInt8, to address: UInt16) -> ChipSketch {
    var sketch = self
    sketch.words += [Self.ldi(0, value), 0x9300, address]
    return sketch
  }

  /// Writes a register of two bytes, high byte first.
  func write16(_ value: UInt16, to low: UInt16) -> ChipSketch {
    write(UInt8(value >> 8), to: low + 1).write(UInt8(value & 0xFF), to: low)
  }

  /// Enters a function with an object and two more arguments: LDI R18 to R25; NOP.
  func enter(
    _ name: String, this: UInt16, minimum: UInt16 = 0, maximum: UInt16 = 0
  ) -> ChipSketch {
    var sketch = self
    for (register, word) in [(2, maximum), (4, minimum), (8, this)] as [(UInt16, UInt16)] {
      sketch.words += [
        Self.ldi(register, UInt8(word & 0xFF)), Self.ldi(register + 1, UInt8(word >> 8)),
      ]
    }
    sketch.functions.append((name, UInt16(sketch.words.count * 2)))
    sketch.words.append(0)
    return sketch
  }

  /// Waits about `count` times 48 us: 256 rounds of 3 cycles each, and a few more cycles.
  func pause(_ count: UInt8) -> ChipSketch {
    var sketch = self
    sketch.words += [
      Self.ldi(2, count),
      Self.ldi(1, 0), 0x951A, 0xF7F1,  // DEC R17; BRNE to DEC
      0x952A, 0xF7D9,  // DEC R18; BRNE to LDI R17
    ]
    return sketch
  }

  /// SLEEP.
  var sleep: ChipSketch {
    var sketch = self
    sketch.words.append(0x9588)
    return sketch
  }

  private static func ldi(_ register: UInt16, _ value: UInt8) -> UInt16 {
    0xE000 | UInt16(value & 0xF0) << 4 | register << 4 | UInt16(value & 0x0F)
  }

  var program: AVRProgram {
    get throws { try program(drivers: []) }
  }

  /// `drivers` are the addresses of the PCA9685 on the two-wire bus.
  func program(drivers: [UInt8]) throws -> AVRProgram {
    let words = words + [0xCFFF]
    let bytes = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    var builder = ELFBuilder(
      segments: [.init(address: 0, bytes: bytes)], codeSize: UInt32(bytes.count))
    if let tableSize {
      builder.symbols = [
        .init(name: "_ZL6servos", value: 0x80_0100, size: tableSize, type: 1, section: 2)
      ]
      builder.symbols += functions.map {
        .init(
          name: $0.name, value: UInt32($0.address), size: 2,
          type: isOptimized ? 0x02 : 0x12)
      }
      builder.symbols += objects.map { address in
        .init(
          name: "servo\(address)", value: 0x80_0000 | UInt32(address), size: 3, type: 1,
          section: 2)
      }
    }
    let image = try ProgramImage(contents: builder.bytes, name: "a.elf")
    var wiring = wiring
    for address in drivers {
      _ = wiring.attach(BoardPart("pca9685@0x" + String(address, radix: 16))!)
    }
    return AVRProgram(image, name: "a.elf", wiring: wiring)
  }

  /// Whether what it stores for the servo can be observed.
  var showsStores: Bool {
    get throws { AVRSource(try program).showsStores }
  }

  func device(showsPulses: Bool = false) throws -> AVRDevice {
    AVRSource(try program).makeDevice(
      for: Header(firmware: .guarded, duration: nil, title: nil), firmware: .guarded,
      showsPulses: showsPulses)
  }
}

/// Addresses of the data space.
enum Address {
  static let ddrb: UInt16 = 0x24
  static let portb: UInt16 = 0x25
  static let tccr1a: UInt16 = 0x80
  static let tccr1b: UInt16 = 0x81
  static let icr1: UInt16 = 0x86
  static let ocr1a: UInt16 = 0x88
  static let ocr1b: UInt16 = 0x8A
  static let ucsr0a: UInt16 = 0xC0
  static let ucsr0b: UInt16 = 0xC1
  static let ucsr0c: UInt16 = 0xC2
  static let ubrr0l: UInt16 = 0xC4
  static let udr0: UInt16 = 0xC6
}
