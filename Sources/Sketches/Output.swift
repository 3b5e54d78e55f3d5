/// Something that can be observed at the board's pins.
package enum Output: Hashable, Sendable {
  /// The commanded pulse changed, at the instant the sketch stored it. Degrees are what the servo
  /// library reads back, 0...180; the pulse is in microseconds. The pin is nil for the session's
  /// own servo.
  case servo(degrees: UInt8, microseconds: UInt16, on: BoardPin? = nil)
  /// One pulse on a servo's pin, at its rising edge. The width is in microseconds and can have a
  /// fraction. The pin is nil for the session's own servo.
  case pulse(microseconds: Double, on: BoardPin? = nil)
  /// The buzzer starts, or stops if the frequency is 0 hertz.
  case tone(hertz: Double)
  /// One byte from the board, at its start bit.
  case transmit(UInt8)
  /// One byte that never reached the sketch, at the end of its stop bit.
  case lost(UInt8, Loss)
  case pin(BoardPin, isHigh: Bool)
  /// Pulses begin on a servo's pin, with this width in microseconds.
  case attached(microseconds: UInt16, on: BoardPin)
  /// The pulses on a servo's pin stop. The pin stays high if they stop in the middle of one, whose
  /// end is then unknown; if it becomes low later, that is reported once more.
  case detached(BoardPin, isHigh: Bool)

  /// Why a byte never reached the sketch. The raw value is the trace format's word.
  package enum Loss: String, Hashable, Sendable, CaseIterable {
    /// It arrived while 63 bytes were waiting.
    case ringFull = "ring-full"
    /// The UART's two-byte FIFO and shift register were full.
    case uartOverrun = "uart-overrun"
    /// Its parity was wrong, and the program's interrupt discarded it.
    case parity
    /// The bootloader owned the line, or the program's UART was off or stopped.
    case booting
  }

  /// The kinds of output; the raw value indexes tables.
  package enum Kind: Int, Hashable, Sendable, CaseIterable {
    case transmit, servo, pulse, tone, lost, pin, attached, detached

    /// The trace format's word for the kind, as text.
    package var name: String { word.description }

    /// The trace format's word for the kind.
    package var word: StaticString {
      switch self {
      case .transmit: "tx"
      case .servo: "servo"
      case .pulse: "pulse"
      case .tone: "tone"
      case .lost: "lost"
      case .pin: "pin"
      case .attached: "attached"
      case .detached: "detached"
      }
    }

    /// Whether a trace contains this kind only on request. Levels of pins are always included,
    /// because a device reports them only on request.
    package var isOnRequest: Bool { self == .pulse }

    /// Where pulses begin and stop on a servo's pin. Neither a model nor a board shows that: there,
    /// they are compared only with a trace whose header names them.
    package static let ofServoPins: Set<Kind> = [.attached, .detached]

    /// Whether the live judge compares this kind. If so, the judge must be able to find its cause.
    package var isJudgedLive: Bool {
      switch self {
      case .transmit, .servo, .tone, .lost: true
      default: false
      }
    }
  }

  package var kind: Kind {
    switch self {
    case .servo: .servo
    case .pulse: .pulse
    case .tone: .tone
    case .transmit: .transmit
    case .lost: .lost
    case .pin: .pin
    case .attached: .attached
    case .detached: .detached
    }
  }

  /// The pin of a servo other than the session's own, the pin whose level changed, or the one on
  /// which a servo's pulses begin or stop.
  package var pin: BoardPin? {
    switch self {
    case .servo(_, _, let pin), .pulse(_, let pin): pin
    case .pin(let pin, _), .attached(_, let pin), .detached(let pin, _): pin
    case .tone, .transmit, .lost: nil
    }
  }
}
