/// What another tool's recording shows of its lines beyond their bytes.
package struct RecordingEvidence: Hashable, Sendable {
  /// The speed of the bytes to the board, as their edges show it.
  package struct Speed: Hashable, Sendable {
    /// The speed at which the line was read, and the one that its edges have, in bits a second.
    package var read: Int
    package var measured: Int
    /// Whether enough edges fit.
    package var isSure: Bool

    package init(read: Int, measured: Int, isSure: Bool) {
      self.read = read
      self.measured = measured
      self.isSure = isSure
    }
  }

  /// The speed of the line to the board, if its edges have another one than it was read at.
  package var speed: Speed?
  /// Whether the line to the board was read as one that idles low.
  package var isReadInverted = false
  /// Whether its bytes have their stop bits only if it is read the other way round.
  package var isOtherPolarity = false
  /// The options that exchange the two lines; nil if the recording has only one.
  package var exchange: String?
  /// Why no byte was found; nil if one was.
  package var noByte: String?

  package init() {}
}

/// A search for the answers to `?` of guarded: `090 hold ok=00012 no=00003 ...`.
package struct GuardedAnswers: Hashable, Sendable {
  /// The last eight bytes, the latest one in the lowest bits.
  private var last: UInt64 = 0
  package private(set) var areFound = false

  package init() {}

  /// Takes the next byte from the board.
  package mutating func take(_ byte: UInt8) {
    // `hold ok=` and `scan ok=`.
    if last == 0x686F_6C64_206F_6B3D || last == 0x7363_616E_206F_6B3D, (0x30...0x39).contains(byte)
    {
      areFound = true
    }
    last = last << 8 | UInt64(byte)
  }
}
