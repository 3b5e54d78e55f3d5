import Foundation
import TestSupport
import Testing

/// Programs that no chip can run, and files that are not programs, are reported with a place and
/// never crash the bench.
@Suite(.ownThread) struct EmulatedChipTests {
  /// Sends `U`, which shows in the trace: UCSR0B = TXEN0, UDR0 = 0x55.
  private static let greeting: [UInt16] = [0xE008, 0x9300, 0x00C1, 0xE505, 0x9300, 0x00C6]

  private static let crashes: [(words: [UInt16], message: String)] = [
    // JMP 0x2000
    ([0x940C, 0x1000], "crashed at 0x2000, 0.000000563 s: nothing"),
    // JMP 0x8000
    ([0x940C, 0x4000], "0x000C, in loop+0xc, 0.000000375 s: it leads to 0x8000, past the end"),
    // RET with nothing on the stack.
    ([0x9508], "0x000C, in loop+0xc, 0.000000375 s: its stack is at 0x900, where there is no SRAM"),
    // SP = 0x0020, PUSH
    ([0xE200, 0xBF0D, 0xE000, 0xBF0E, 0x920F], "its stack is at 0x20, where there is no SRAM"),
    // SP = 0x0B00, RCALL
    ([0xE000, 0xBF0D, 0xE00B, 0xBF0E, 0xD000], "0x0014, in loop+0x14"),
    ([0x0001], "0x000C, in loop+0xc, 0.000000375 s: 0x1 is not an instruction of the ATmega328P"),
    // X = 0x0900, ST X
    ([0xE0A0, 0xE0B9, 0x920C], "it uses address 0x900, past the end of the SRAM (0x8FF)"),
    ([0x0000], "crashed at 0x000E, 0.000000438 s: nothing was programmed there"),
  ]

  @Test(arguments: crashes)
  func `A crash of the program is reported with its place, and earlier outputs are kept`(
    _ words: [UInt16], _ message: String
  ) throws {
    let bench = try Bench()
    try Data(ChipProgram.elf(Self.greeting + words)).write(
      to: bench.folder.appending(path: "p.elf"))
    let outcome = try bench.run("replay", "--send", "X45.", "--device", "avr:p.elf")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("p.elf: error: the program crashed at "))
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.contains(#"[0.000001, "tx", "U"]"#))
    #expect(!outcome.output.contains("lost"), "a crashed board receives nothing")
    try bench.write(Sample.inputs("classic", #"[1.5, "tx", "U"]"#), "t.jsonl")
    let verified = try bench.run("verify", "t.jsonl", "--device", "avr:p.elf")
    #expect(verified.status == 65 || verified.status == 1, "\(verified)")
  }

  @Test(arguments: [
    // CLI, RJMP to itself
    ([0x94F8, 0xCFFF] as [UInt16], "loops at 0x0002, in loop+0x2"),
    // The same after timer 0's overflow interrupt was enabled and flagged.
    (
      [0xE001, 0x9300, 0x006E, 0xBD05, 0x94F8, 0xCFFF],
      "loops at 0x000A, in loop+0xa"
    ),
    // CLI, SMCR = SE, SLEEP
    ([0x94F8, 0xE001, 0xBF03, 0x9588, 0xCFFF], "sleeps at 0x0006, in loop+0x6"),
  ])
  func `A program that waits for nothing is reported, and an hour of it takes little time`(
    _ words: [UInt16], _ message: String
  ) throws {
    let bench = try Bench()
    try Data(ChipProgram.elf(words)).write(to: bench.folder.appending(path: "p.elf"))
    let outcome = try bench.run(
      "replay", "--send", "", "--for", "3600s", "--device", "avr:p.elf")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.contains("\(message) with interrupts off: only a reset ends that"),
      "\(outcome.errors)")
    #expect(outcome.errors.components(separatedBy: "interrupts off").count == 2)
  }

  @Test func `A program that waits for something is not reported as idle`() throws {
    let bench = try Bench()
    for (name, words) in [
      // CLI, wait for a byte in UCSR0A
      ("io", [0x94F8, 0x9100, 0x00C0, 0xCFFC] as [UInt16]),
      // CLI, watchdog on, RJMP to itself
      ("watchdog", [0x94F8, 0xE008, 0x9300, 0x0060, 0xCFFF]), ("interrupts", [0x9478, 0xCFFF]),
    ] {
      try bench.write(ChipProgram.hex(words), "\(name).hex")
      let outcome = try bench.run(
        "replay", "--send", "", "--for", "2s", "--device", "avr:\(name).hex")
      #expect(outcome.status == 0 && !outcome.errors.contains("only a reset"), "\(name)")
    }
  }

  @Test func `Files that are not programs are refused with the place`() throws {
    let bench = try Bench()
    let elf = ChipProgram.elf([0xCFFF])
    var other = elf
    other[18] = 62
    let hex = ChipProgram.hex([0xCFFF])
    let files: [(name: String, contents: [UInt8], message: String)] = [
      (
        "cut.elf", Array(elf.prefix(60)),
        "cut.elf: error: ends at byte 60, before the program header table"
      ),
      ("other.elf", other, "other.elf: error: is for an x86-64 (machine 62), this emulates"),
      (
        "sum.hex", Array(hex.replacing("FFCF", with: "FECF").utf8),
        "sum.hex:1:14: error: checksum is 30, the record's bytes give 31"
      ),
      ("text.hex", Array("hello".utf8), "text.hex: error: is neither an ELF file nor Intel HEX"),
    ]
    for file in files {
      try Data(file.contents).write(to: bench.folder.appending(path: file.name))
      let outcome = try bench.run("replay", "--send", "L", "--device", "avr:\(file.name)")
      #expect(outcome.status == 65)
      #expect(outcome.errors.hasPrefix(file.message), "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test func `The hint that an .elf may show more is only for files without symbols`() throws {
    let bench = try Bench()
    // sbi DDRB, 1; sbi PORTB, 1; 1.5 ms; cbi PORTB, 1; 15 ms; rjmp to the second.
    let pulses: [UInt16] = [
      0x9A21, 0x9A29, 0xE780, 0xE197, 0x9701, 0xF7F1, 0x9829, 0xE680, 0xEE9A, 0x9701, 0xF7F1,
      0xCFF5,
    ]
    try bench.write(ChipProgram.hex(pulses), "p.hex")
    try Data(ChipProgram.elf(pulses)).write(to: bench.folder.appending(path: "p.elf"))
    let hex = try bench.run("replay", "--send", "", "--device", "avr:p.hex")
    let elf = try bench.run("replay", "--send", "", "--device", "avr:p.elf")
    #expect(hex.errors.contains("only pulses: an .elf may show it\n"))
    #expect(elf.errors.contains("only pulses\n"))
    // Without a servo nothing is hidden.
    try bench.write(ChipProgram.hex([0xCFFF]), "none.hex")
    let none = try bench.run("replay", "--send", "", "--device", "avr:none.hex")
    #expect(none.status == 0 && !none.errors.contains("only pulses"), "\(none)")
  }

  // ChipStateTests has parts that end at any instant.
  @Test(
    arguments: ["classic", "guarded"],
    [([], ["1.502500s", "2s"]), (["--pulses"], ["1.7s"])] as [([String], [String])])
  func `Two parts of a replay equal the whole`(
    _ sketch: String, _ parts: (options: [String], ends: [String])
  ) throws {
    let bench = try Bench()
    let program = try #require(Bench.program)
    try bench.write(
      Sample.inputs(sketch, #"[1.5, "rx", "X45.L"]"#, #"[2.5, "rx", "X90."]"#), "t.jsonl")
    func replay(_ arguments: String...) throws -> Bench.Outcome {
      let device = ["--device", "avr:\(ChipProgram.sketch(sketch))"]
      let outcome = try bench.start(
        program, ["replay", "t.jsonl"] + device + parts.options + arguments
      ).finish()
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome
    }
    let whole = try replay().lines.dropFirst()
    for until in parts.ends {
      let first = try replay("--until", until, "--save-state", "s.json").lines.dropFirst()
      let rest = try replay("--from-state", "s.json").lines.dropFirst()
      #expect(Array(first + rest) == Array(whole), "\(until)")
    }
    let other = try bench.run("replay", "t.jsonl", "--from-state", "s.json", "-q")
    #expect(other.status == 65)
    #expect(other.errors.contains("expected a state of --device model, found one of --device avr"))
  }
}
