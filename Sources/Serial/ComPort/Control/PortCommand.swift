/// A command of RFC 2217, from a client to the server of a port, or the server's answer.
enum PortCommand: Hashable, Sendable {
  /// The name of the program. Empty: a request for the other end's.
  case signature([UInt8])
  /// Bits a second; 0 asks for the present speed.
  case speed(UInt32)
  /// 5 to 8; 0 asks.
  case dataSize(UInt8)
  /// `LineFormat.Parity`; 0 asks.
  case parity(UInt8)
  /// `LineFormat.StopSize`; 0 asks.
  case stopSize(UInt8)
  /// A `PortControl`, which can also be a query.
  case control(UInt8)
  /// From the server: the line's state. Nil in a client's request for it, which some clients send.
  case lineState(UInt8?)
  /// From the server: the modem lines' state. Nil in a client's request for it.
  case modemState(UInt8?)
  /// The other end must send no data until `resume`.
  case suspend
  case resume
  case lineStateMask(UInt8)
  case modemStateMask(UInt8)
  /// 1: what waits for the client; 2: what waits for the line; 3: both.
  case purge(UInt8)

  /// The end that sends a command. The server's commands have numbers that are higher by 100.
  enum Sender: UInt8, Hashable, Sendable {
    case client = 0
    case server = 100
  }

  /// Parses a subnegotiation. Returns nil if it is not a command from that end, or too short.
  /// Anything after a command's own parameters is ignored.
  init?(_ parameters: [UInt8], from sender: Sender) {
    guard let number = parameters.first, number >= sender.rawValue else { return nil }
    let rest = parameters.dropFirst()
    switch (number - sender.rawValue, rest.first) {
    case (0, _): self = .signature(Array(rest))
    case (1, _) where rest.count >= 4:
      self = .speed(rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    case (2, let value?): self = .dataSize(value)
    case (3, let value?): self = .parity(value)
    case (4, let value?): self = .stopSize(value)
    case (5, let value?): self = .control(value)
    case (6, let state): self = .lineState(state)
    case (7, let state): self = .modemState(state)
    case (8, _): self = .suspend
    case (9, _): self = .resume
    case (10, let value?): self = .lineStateMask(value)
    case (11, let value?): self = .modemStateMask(value)
    case (12, let value?): self = .purge(value)
    default: return nil
    }
  }

  /// Returns the subnegotiation that sends the command.
  func bytes(from sender: Sender) -> [UInt8] {
    let (code, values) = content
    return TelnetEncoder.subnegotiation(.comPort, [code + sender.rawValue] + values)
  }

  private var content: (code: UInt8, values: [UInt8]) {
    switch self {
    case .signature(let text): (0, text)
    case .speed(let speed): (1, [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: speed >> $0) })
    case .dataSize(let value): (2, [value])
    case .parity(let value): (3, [value])
    case .stopSize(let value): (4, [value])
    case .control(let value): (5, [value])
    case .lineState(let value): (6, value.map { [$0] } ?? [])
    case .modemState(let value): (7, value.map { [$0] } ?? [])
    case .suspend: (8, [])
    case .resume: (9, [])
    case .lineStateMask(let value): (10, [value])
    case .modemStateMask(let value): (11, [value])
    case .purge(let value): (12, [value])
    }
  }
}

/// The values of RFC 2217's SET-CONTROL.
enum PortControl: UInt8, Hashable, Sendable {
  case askFlow = 0
  case noFlow, softwareFlow, hardwareFlow
  case askBreak, breakOn, breakOff
  /// DTR and RTS: set is the active state, in which an Uno's pin is low.
  case askDTR, setDTR, clearDTR
  case askRTS, setRTS, clearRTS
  case askInboundFlow, noInboundFlow, softwareInboundFlow, hardwareInboundFlow
  /// Flow control by other lines: DCD and DSR for what is sent, DTR for what is received.
  case carrierFlow, terminalReadyInboundFlow, setReadyFlow
}
