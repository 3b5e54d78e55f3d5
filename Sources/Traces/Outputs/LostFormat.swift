import Sketches

extension OutputFormat {
  /// `"lost", "A", "ring-full"`: a byte that never reached the sketch, and why.
  ///
  /// | `"lost", byte, why` | one byte that never reached the sketch: `"ring-full"`;
  /// `"uart-overrun"`; `"parity"`: the program discarded it; or `"booting"`: the bootloader owned
  /// the line, or the sketch's port was not open | the end of the stop bit |
  static let lost = OutputFormat(
    { output -> (byte: UInt8, why: Output.Loss)? in
      if case .lost(let byte, let why) = output { (byte, why) } else { nil }
    },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the byte")
      let byte = try scanner.takeByte()
      try scanner.take(",", "',' and why it was lost")
      scanner.skipSpace()
      let offset = scanner.position
      let why = try scanner.takeText("why the byte was lost, in quotes")
      guard let loss = Output.Loss(rawValue: why) else {
        throw LineScanner.Failure(
          offset: offset, found: why, expected: "", Output.Loss.allCases.map { $0.rawValue },
          separator: " or ")
      }
      return .lost(byte, loss)
    },
    write: { lost, text in
      text.append(", ")
      text.appendQuoted(lost.byte)
      text.append(", ")
      text.appendQuoted(lost.why.rawValue)
    },
    matches: { $0 == $1 },
    describe: { "the byte \(ByteText.json($0.byte)) lost (\($0.why.rawValue))" })
}
