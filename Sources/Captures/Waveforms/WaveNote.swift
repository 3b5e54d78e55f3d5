/// What a waveform shows as text or as a number, next to its wires.
package enum WaveNote: Int, Hashable, Sendable, CaseIterable {
  /// The byte that is passing on the line to the board, or on the line from it.
  case rxByte, txByte
  /// What became of a byte, from the instant at which that was decided.
  case fate
  /// What the sketch is doing.
  case state
  /// The commanded angle, in degrees.
  case angle
  /// The tone's frequency, in hertz; 0 for silence.
  case tone
  /// The number of bytes that wait in the ring.
  case waiting

  package var name: String {
    switch self {
    case .rxByte: "rx_byte"
    case .txByte: "tx_byte"
    case .fate: "fate"
    case .state: "state"
    case .angle: "angle"
    case .tone: "tone_hz"
    case .waiting: "waiting"
    }
  }

  /// Its value before the first change; nil for an angle, which is not known before it is
  /// commanded.
  var initial: WaveValue? {
    switch self {
    case .rxByte, .txByte, .fate, .state: .text("")
    case .tone, .waiting: .number(0)
    case .angle: nil
    }
  }
}
