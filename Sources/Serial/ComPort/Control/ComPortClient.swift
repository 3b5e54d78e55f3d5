import Sketches

/// The client's end of a connection to a port (RFC 2217).
///
///     connected --agreed--> controlling --all settings answered--> ready
///               --refused, or another server--> failed
struct ComPortClient: Hashable, Sendable {
  /// Why the port cannot be used.
  enum Problem: Hashable, Sendable {
    /// The server does not support RFC 2217.
    case refused
    /// The server keeps a speed other than the one requested, in bits a second.
    case speed(wanted: UInt32, kept: UInt32)
    /// The server keeps a format other than 8N1.
    case format
  }

  private var decoder = TelnetDecoder()
  private var encoder = TelnetEncoder()
  private var negotiation = TelnetNegotiation()
  private var output: [UInt8] = []
  private var speed: UInt32
  /// The speeds requested whose answers have not arrived yet.
  private var pendingSpeeds: [UInt32] = []
  /// The format and control requests whose answers have not arrived yet.
  private var pending: [PortCommand] = []
  private(set) var problem: Problem?
  /// Whether the server has requested that no data be sent.
  private(set) var isSuspended = false

  /// The maximum number of requests without an answer. The client does not wait for a server that
  /// answers none.
  private static let pendingMax = 64

  /// Creates the end of a connection that requests a port with 8N1 at `speed` bits a second.
  init(speed: UInt32) {
    self.speed = speed
    for option in [TelnetOption.binary, .suppressGoAhead] {
      output += negotiation.request(option, .ours)
      output += negotiation.request(option, .theirs)
    }
    output += negotiation.request(.comPort, .ours)
  }

  /// Whether the server has agreed to everything requested so far.
  var isReady: Bool {
    negotiation.isOn(.comPort, .ours) && pending.isEmpty && pendingSpeeds.isEmpty
  }

  /// Takes bytes from the server. Returns the port's data.
  mutating func receive(_ bytes: [UInt8]) -> [UInt8] {
    var data: [UInt8] = []
    var rest = bytes[...]
    while let item = decoder.next(from: &rest) {
      switch item {
      case .data(let bytes): data += bytes
      case .option(let verb, let code): negotiate(verb, code)
      case .subnegotiation(TelnetOption.comPort.rawValue, let parameters):
        if let command = PortCommand(parameters, from: .server) { take(command) }
      case .subnegotiation, .command: break
      }
    }
    return data
  }

  private mutating func negotiate(_ verb: TelnetVerb, _ code: UInt8) {
    let wasOn = negotiation.isOn(.comPort, .ours)
    output += negotiation.take(verb, code)
    decoder.isBinary = negotiation.isOn(.binary, .theirs)
    encoder.isBinary = negotiation.isOn(.binary, .ours)
    guard code == TelnetOption.comPort.rawValue else { return }
    if verb == .forbid { problem = .refused }
    if !wasOn, negotiation.isOn(.comPort, .ours) { configure() }
  }

  private mutating func configure() {
    request(speed: speed)
    request(.dataSize(8))
    request(.parity(LineFormat.Parity.none.rawValue))
    request(.stopSize(LineFormat.StopSize.one.rawValue))
    request(.control(PortControl.noFlow.rawValue))
    // Reports of the lines are not used.
    output += PortCommand.modemStateMask(0).bytes(from: .client)
  }

  private mutating func take(_ command: PortCommand) {
    switch command {
    case .speed(let kept):
      guard !pendingSpeeds.isEmpty else { return }
      let wanted = pendingSpeeds.removeFirst()
      // A server can round to what its port can do.
      let isNear =
        UInt64(kept) * 100 >= UInt64(wanted) * 97
        && UInt64(kept) * 100 <= UInt64(wanted) * 103
      if !isNear { problem = .speed(wanted: wanted, kept: kept) }
    case .suspend: isSuspended = true
    case .resume: isSuspended = false
    case .dataSize, .parity, .stopSize:
      guard let index = pending.firstIndex(where: { $0.isSameKind(as: command) }) else { return }
      if pending.remove(at: index) != command { problem = .format }
    case .control, .purge:
      // Some servers answer with the state instead of the request.
      if let index = pending.firstIndex(where: { $0.isSameKind(as: command) }) {
        pending.remove(at: index)
      }
    case .signature(let text):
      if text.isEmpty {
        output += PortCommand.signature(Array("SentryBench".utf8)).bytes(from: .client)
      }
    case .lineState, .modemState, .lineStateMask, .modemStateMask: break
    }
  }

  /// Counts the requests without an answer as answered.
  mutating func stopAwaitingAnswers() {
    pending = []
    pendingSpeeds = []
  }

  // MARK: Requests

  /// Requests a speed in bits a second.
  mutating func request(speed: UInt32) {
    self.speed = speed
    if pendingSpeeds.count < Self.pendingMax { pendingSpeeds.append(speed) }
    output += PortCommand.speed(speed).bytes(from: .client)
  }

  /// Sets or clears both modem lines.
  mutating func request(lines isSet: Bool) {
    request(.control((isSet ? PortControl.setDTR : .clearDTR).rawValue))
    request(.control((isSet ? PortControl.setRTS : .clearRTS).rawValue))
  }

  /// Requests that the server drop the data that waits for this end.
  mutating func requestPurge() { request(.purge(1)) }

  private mutating func request(_ command: PortCommand) {
    if pending.count < Self.pendingMax { pending.append(command) }
    output += command.bytes(from: .client)
  }

  /// Takes data for the port.
  mutating func send(_ data: some Sequence<UInt8>) { output += encoder.encode(data) }

  /// Removes and returns the bytes to send to the server now.
  mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }
}

extension PortCommand {
  /// Whether both set the same thing.
  fileprivate func isSameKind(as other: PortCommand) -> Bool {
    switch (self, other) {
    case (.dataSize, .dataSize), (.parity, .parity), (.stopSize, .stopSize), (.purge, .purge),
      (.control, .control):
      true
    default: false
    }
  }
}
