import Sketches
import TestSupport
import Testing

/// Properties over random streams, which consist of commands, pieces of commands, and junk.
struct CommandParserPropertyTests {
  private static let pieces: [[UInt8]] =
    [
      "X", "L", "T", "O", "C", "?", "V", ".", "0", "1", "9", "18", "180", "181", " ", "\n", "Z",
      "x", "-", "X90.", "X180.", "X7.", "X45.\r\n", "X1000.", "X100",
    ].map { Array($0.utf8) } + [[0x80], [0xFF], [0x00], [0xC3, 0xA9]]

  private static func stream(_ generator: inout SeededGenerator, count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      if Int.random(in: 0..<8, using: &generator) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &generator))
      } else {
        bytes += pieces.randomElement(using: &generator)!
      }
    }
    return bytes
  }

  private static func commands(
    in bytes: [UInt8], for firmware: Firmware, cut: (inout SeededGenerator) -> Int,
    _ generator: inout SeededGenerator
  ) -> [Command] {
    var parser = CommandParser(for: firmware)
    var found: [Parsed] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(cut(&generator))
      found += parser.take(piece)
      rest = rest.dropFirst(piece.count)
    }
    return found.compactMap(\.command)
  }

  /// Another definition of a command: a pattern, searched for from left to right.
  private static func searched(_ bytes: [UInt8], for firmware: Firmware) -> [String] {
    // `SketchDescriptionTests` compares the letters with what the sketch does.
    let letters = firmware.sketch.letters.keys.map { String(Unicode.Scalar($0)) }.sorted().joined()
    let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    let pattern = try! Regex<(Substring, Substring?)>(
      "X([0-9]{1,3})\\.|[\(letters)]"
    ).matchingSemantics(.unicodeScalar)
    return text.matches(of: pattern).compactMap { match in
      guard let digits = match.output.1 else { return String(match.output.0) }
      let degrees = Int(digits)!
      return degrees <= 180 ? "X\(degrees)." : nil
    }
  }

  @Test(arguments: Firmware.allCases, 0..<40)
  func `Commands are the matches of the pattern, however the bytes are divided`(
    firmware: Firmware, seed: Int
  ) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let bytes = Self.stream(&generator, count: 400)
    let whole = Self.commands(in: bytes, for: firmware, cut: { _ in .max }, &generator)
    #expect(
      whole.map { String(decoding: $0.bytes, as: UTF8.self) }
        == Self.searched(bytes, for: firmware), "seed \(seed)")
    let single = Self.commands(in: bytes, for: firmware, cut: { _ in 1 }, &generator)
    #expect(single == whole, "seed \(seed)")
    for most in [2, 5, 50] {
      let cut = Self.commands(
        in: bytes, for: firmware, cut: { .random(in: 1...most, using: &$0) }, &generator)
      #expect(cut == whole, "seed \(seed), pieces up to \(most)")
    }
  }

  @Test(arguments: 0..<40)
  func `Every byte is part of a command, refused, white space, or still pending`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    // Without zeros, because a command's bytes never have leading ones.
    let bytes = Self.stream(&generator, count: 300).filter { $0 != UInt8(ascii: "0") }
    var parser = CommandParser(for: .guarded)
    var accounted = 0
    for parsed in parser.take(bytes) {
      accounted += parsed.command?.bytes.count ?? parsed.refusal?.count ?? 0
    }
    accounted += parser.finish()?.refusal?.count ?? 0
    let blanks = bytes.filter { [0x20, 0x09, 0x0D, 0x0A].contains($0) }.count
    #expect(accounted + blanks == bytes.count, "seed \(seed)")
  }

  @Test(arguments: 0..<40)
  func `The commands' bytes are a subsequence of the input`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let bytes = Self.stream(&generator, count: 300)
    var rest = bytes[...]
    for byte in Self.commands(in: bytes, for: .guarded, cut: { _ in .max }, &generator)
      .flatMap(\.bytes)
    {
      guard let index = rest.firstIndex(of: byte) else {
        Issue.record("seed \(seed): a byte that did not come")
        return
      }
      rest = rest[(index + 1)...]
    }
  }

  @Test(arguments: Firmware.allCases, 0..<20)
  func `A valid stream passes whole`(firmware: Firmware, seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var sent: [Command] = []
    for _ in 0..<200 {
      let letter = Array("LTOC?V".utf8).randomElement(using: &generator)!
      let aim = Command.aim(.random(in: 0...180, using: &generator))
      sent.append(
        Bool.random(using: &generator) ? aim : Command(letter: letter, in: firmware) ?? .lost)
    }
    var parser = CommandParser(for: firmware)
    #expect(
      parser.take(sent.flatMap(\.bytes)) == sent.map { .command($0) }, "seed \(seed)")
  }

  /// What the sketch finds in the bytes: its commands, and whether it had to discard anything.
  private static func taken(
    _ bytes: [UInt8], by firmware: Firmware
  ) -> (commands: [String], isClean: Bool) {
    var model = Model(firmware, baud: 9_600, showsPulses: false)
    var recorder = Recorder(ledger: Ledger())
    // In pieces, so that the ring never fills during tones and steps of a blocking sketch.
    var time = Instant.zero + .milliseconds(1_100)
    for byte in bytes {
      model.send([byte], at: time)
      time += .milliseconds(firmware == .buzzer ? 40 : 2)
      model.advance(to: time, into: &recorder)
    }
    model.advance(to: time + .seconds(1), into: &recorder)
    var commands: [String] = []
    var isClean = true
    for entry in recorder.ledger?.entries ?? [] {
      let character = String(Unicode.Scalar(entry.byte))
      switch entry.fate {
      case .letter: commands.append(character)
      case .digit, .terminator: commands[commands.count - 1] += character
      case .junk, .abandoned, .swallowed, .skipped, .purged, .ringFull, .uartOverrun, .parity,
        .booting, .cleared, .waiting, .taken, .arrived, .wireLost, .adapterLost:
        isClean = false
      }
    }
    return (commands.filter { $0.first != "X" || $0.last == "." }, isClean)
  }

  @Test(arguments: 0..<6)
  func `The guarded sketch takes the same commands from the same bytes`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    // Without zeros, as above, and with each number ending within its 250 ms.
    let bytes = Self.stream(&generator, count: 300).filter { $0 != UInt8(ascii: "0") }
    var parser = CommandParser(for: .guarded)
    let found = parser.take(bytes).compactMap(\.command)
    #expect(
      Self.taken(bytes, by: .guarded).commands
        == found.map { String(decoding: $0.bytes, as: UTF8.self) }, "seed \(seed)")
  }

  @Test(arguments: Firmware.allCases, 0..<3)
  func `No sketch discards anything that passes`(firmware: Firmware, seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var parser = CommandParser(for: firmware)
    let found = parser.take(Self.stream(&generator, count: 300)).compactMap(\.command)
    let taken = Self.taken(found.flatMap(\.bytes), by: firmware)
    #expect(taken.isClean, "seed \(seed)")
    #expect(
      taken.commands == found.map { String(decoding: $0.bytes, as: UTF8.self) }, "seed \(seed)")
  }
}
