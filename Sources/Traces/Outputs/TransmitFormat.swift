import Sketches

extension OutputFormat {
  /// `"tx", "A"`: a byte from the board.
  ///
  /// | `"tx", byte` | one byte from the board, as the board sent it, at whatever speed a program
  /// reads it | the start bit |
  static let transmit = OutputFormat(
    { output -> UInt8? in if case .transmit(let byte) = output { byte } else { nil } },
    read: { scanner throws(LineScanner.Failure) in
      try scanner.take(",", "',' and the byte")
      return .transmit(try scanner.takeByte())
    },
    write: { byte, text in
      text.append(", ")
      text.appendQuoted(byte)
    },
    matches: { $0 == $1 },
    describe: { "the byte \(ByteText.json($0)) sent" })
}
