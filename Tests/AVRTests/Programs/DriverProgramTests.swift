import Testing

@testable import AVR

/// A PCA9685 on the two-wire bus, according to its data sheet.
@Suite("Programs for a PCA9685")
struct DriverProgramTests {
  /// A part of a transfer on the bus.
  enum Step: Sendable {
    case start
    case write(UInt8)
    /// Reads a byte, and acknowledges it or not.
    case read(acknowledges: Bool)
    case stop
  }

  /// A program that takes the steps, and then executes `after`.
  private static func program(
    _ name: String, _ steps: [Step], _ after: String = "", drivers: [UInt8] = [0x40],
    results: UInt8...
  ) -> SmallProgram {
    var source = ""
    for (index, step) in steps.enumerated() {
      let wait = "l\(index):; lds r18, TWCR; sbrs r18, 7; rjmp l\(index)\n"
      switch step {
      case .start: source += "TWCR=0xA4; \(wait)"
      case .write(let byte): source += "TWDR=\(byte); TWCR=0x84; \(wait)"
      case .read(let acknowledges): source += "TWCR=\(acknowledges ? 0xC4 : 0x84); \(wait)"
      case .stop:
        source += "TWCR=0x94; l\(index):; lds r18, TWCR; sbrc r18, 4; rjmp l\(index)\n"
      }
    }
    var program = SmallProgram(name, source + after)
    program.results = results
    program.drivers = drivers
    return program
  }

  /// A whole transfer that writes bytes.
  private static func transfer(_ bytes: UInt8..., to address: UInt8 = 0x40) -> [Step] {
    [.start, .write(address << 1)] + bytes.map { .write($0) } + [.stop]
  }

  /// As drivers do it: asleep, the prescaler for 50 Hz, awake with automatic increment.
  private static let on =
    transfer(0x00, 0x10) + transfer(0xFE, 121) + transfer(0x00, 0x20)

  static let statuses = [
    program("SLA+W is acknowledged", [.start, .write(0x80)], "r20=TWSR", results: 0x18),
    program("another address is not", [.start, .write(0x82)], "r20=TWSR", results: 0x20),
    program(
      "a byte is acknowledged", [.start, .write(0x80), .write(0)], "r20=TWSR", results: 0x28),
    program("SLA+R is acknowledged", [.start, .write(0x81)], "r20=TWSR", results: 0x40),
    program(
      "a byte is read and acknowledged", [.start, .write(0x81), .read(acknowledges: true)],
      "r20=TWSR; r21=TWDR", results: 0x50, 0x11),
    program(
      "a byte is read and not acknowledged", [.start, .write(0x81), .read(acknowledges: false)],
      "r20=TWSR", results: 0x58),
    program(
      "MODE1 is 0x11 after power-on and MODE2 is 4",
      [
        .start, .write(0x80), .write(0), .start, .write(0x81), .read(acknowledges: false), .stop,
      ], "r20=TWDR", results: 0x11),
    program(
      "PRE_SCALE reads back",
      on + [.start, .write(0x80), .write(0xFE), .start, .write(0x81), .read(acknowledges: false)],
      "r20=TWDR", results: 121),
    program(
      "PRE_SCALE cannot be written while awake",
      on + transfer(0xFE, 3)
        + [.start, .write(0x80), .write(0xFE), .start, .write(0x81), .read(acknowledges: false)],
      "r20=TWDR", results: 121),
    program(
      "the registers of a channel are read with automatic increment",
      on + transfer(0x12, 1, 2, 3, 4)
        + [
          .start, .write(0x80), .write(0x14), .start, .write(0x81), .read(acknowledges: true),
          .read(acknowledges: false),
        ], "r20=TWDR", results: 4),
    program(
      "sleep with a pulse sets RESTART",
      on + transfer(0x12, 0, 0, 51, 1) + transfer(0x00, 0x30)
        + [.start, .write(0x80), .write(0), .start, .write(0x81), .read(acknowledges: false)],
      "r20=TWDR", results: 0xB0),
    program(
      "nothing answers without a driver", [.start, .write(0x80)], "r20=TWSR", drivers: [],
      results: 0x20),
  ]

  @Test(arguments: statuses)
  func `The driver answers on the bus`(_ program: SmallProgram) throws { try program.check() }

  /// Counts of 122 / 25 us, in periods of 4 096 of them.
  static let outputs: [(SmallProgram, [String])] = [
    (program("a channel", on + transfer(0x12, 0, 0, 51, 1)), ["0x40:3 1498/19988"]),
    (
      program("a channel that begins later", on + transfer(0x06, 100, 0, 151, 1)),
      ["0x40:0 1498/19988"]
    ),
    (
      program("a pulse across the end of the period", on + transfer(0x06, 0xA0, 0x0F, 211, 0)),
      ["0x40:0 1498/19988"]
    ),
    (
      program("two channels in one transfer", on + transfer(0x06, 0, 0, 51, 1, 0, 0, 102, 0)),
      ["0x40:0 1498/19988", "0x40:1 498/19988"]
    ),
    (
      program(
        "only changes are reported", on + transfer(0x12, 0, 0, 51, 1) + transfer(0x12, 0, 0, 51, 1)),
      ["0x40:3 1498/19988"]
    ),
    (program("asleep, there is none", transfer(0x00, 0x30) + transfer(0x12, 0, 0, 51, 1)), []),
    (
      program(
        "what was written asleep follows at the end of sleep",
        transfer(0x00, 0x30) + transfer(0x12, 0, 0, 51, 1) + transfer(0x00, 0x20)),
      ["0x40:3 381/5079"]
    ),
    (
      program("ALL_LED writes each channel", on + transfer(0xFA, 0, 0, 51, 1)),
      (0..<16).map { "0x40:\($0) 1498/19988" }
    ),
    (program("fully off is no pulse", on + transfer(0x12, 0, 0, 51, 0x11)), []),
    (
      program(
        "without automatic increment, each byte replaces the one before",
        transfer(0x00, 0x10) + transfer(0xFE, 121) + transfer(0x00, 0x00)
          + transfer(0x14, 10, 51) + transfer(0x15, 1)),
      ["0x40:3 1498/19988"]
    ),
    (
      program(
        "two drivers, and the address for all of them",
        transfer(0x00, 0x11, to: 0x70) + transfer(0xFE, 121, to: 0x70)
          + transfer(0x00, 0x21, to: 0x70) + transfer(0x06, 0, 0, 51, 1, to: 0x41)
          + transfer(0x06, 0, 0, 102, 0, to: 0x40), drivers: [0x40, 0x41]),
      ["0x41:0 1498/19988", "0x40:0 498/19988"]
    ),
    (
      program(
        "the reset by software switches it off",
        on + transfer(0x06, to: 0) + transfer(0x12, 51)), []
    ),
    (
      program(
        "the reset by software stops its pulses",
        on + transfer(0x12, 0, 0, 51, 1) + transfer(0x06, to: 0)),
      ["0x40:3 1498/19988", "0x40:3 0/19988"]
    ),
    (
      program(
        "fully off stops them, and the same pulse is one again",
        on + transfer(0x12, 0, 0, 51, 1) + transfer(0x15, 0x10) + transfer(0x15, 1)),
      ["0x40:3 1498/19988", "0x40:3 0/19988", "0x40:3 1498/19988"]
    ),
    (
      program(
        "sleep stops them, and RESTART begins them again",
        on + transfer(0x12, 0, 0, 51, 1) + transfer(0x00, 0x30) + transfer(0x00, 0x20)
          + transfer(0x00, 0xA0)),
      ["0x40:3 1498/19988", "0x40:3 0/19988", "0x40:3 1498/19988"]
    ),
  ]

  @Test(arguments: outputs)
  func `Channels report their pulses`(_ program: SmallProgram, _ expected: [String]) throws {
    #expect(try program.channels() == expected, "\(program.testDescription)")
  }
}
