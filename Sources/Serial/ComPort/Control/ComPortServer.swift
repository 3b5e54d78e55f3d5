import Sketches

/// The server's end of a connection to a port (RFC 2217), from its opening to its end.
///
///     connected --COM-PORT agreed--> controlled --COM-PORT refused--> connected
///
/// A client that never agrees can still send and receive bytes. DTR is set while a client is
/// connected, as on a port that a program has open, unless the client clears it.
struct ComPortServer: Hashable, Sendable {
  /// An action for the caller to carry out, in order.
  enum Action: Hashable, Sendable {
    case line(LineItem)
    /// DTR was set, which restarts an Uno: the pin is low while DTR is set, and its falling edge
    /// reaches the board's reset through a capacitor.
    case restart
    /// Drops the bytes that wait for the line.
    case purgeLine
  }

  /// The speeds that a client can set, in bits a second.
  private let speeds: ClosedRange<Int>
  private var decoder = TelnetDecoder()
  private var encoder = TelnetEncoder()
  private var negotiation = TelnetNegotiation()
  /// The speed of the port, in bits a second.
  private(set) var speed: Int
  private(set) var format = LineFormat()
  private(set) var isDTRSet = true
  private(set) var isRTSSet = true
  private var isInBreak = false
  private var flow = PortControl.noFlow
  private var inboundFlow = PortControl.noInboundFlow
  /// Whether the client has requested that no data be sent.
  private var isSuspended = false
  /// Whether this end has requested the same of the client.
  private var isHolding = false
  private var lineState = LineState()
  private var modemState = ModemState()
  private var lineMask: UInt8 = 0
  private var modemMask: UInt8 = 255
  /// The answers to the client, which data never delays.
  private var answers: [UInt8] = []
  /// The board's bytes, as they are.
  private var data: [UInt8] = []
  /// The number of commands that were not understood.
  private var unknownCount = 0

  /// The maximum number of bytes from the board that wait for the client.
  static let dataMax = 65_536
  /// The number of waiting bytes of answers from which on nothing more is read.
  private static let answersMax = 8_192
  /// The number of bytes waiting for the line from which on the client is held, and the number
  /// below which it is released.
  private static let waitingHigh = 2_048
  private static let waitingLow = 1_024

  /// Creates the end of a connection to a board with its port at `speed` bits a second.
  init(speed: Int, speeds: ClosedRange<Int>) {
    self.speed = speed
    self.speeds = speeds
    for option in [TelnetOption.binary, .suppressGoAhead] {
      answers += negotiation.request(option, .ours)
      answers += negotiation.request(option, .theirs)
    }
    answers += negotiation.request(.comPort, .theirs)
  }

  /// The number of commands that were malformed, too long or unknown.
  var ignoredCount: Int { decoder.droppedCount + unknownCount }

  /// Whether the client may send more: a client that reads no answers must wait.
  var acceptsInput: Bool { answers.count < Self.answersMax }

  // MARK: From the client

  /// Takes bytes from the client.
  mutating func receive(_ bytes: [UInt8]) -> [Action] {
    var actions: [Action] = []
    var rest = bytes[...]
    while let item = decoder.next(from: &rest) {
      switch item {
      case .data(let data): if !data.isEmpty { actions.append(.line(.bytes(data))) }
      case .option(let verb, let code): negotiate(verb, code)
      case .subnegotiation(TelnetOption.comPort.rawValue, let parameters):
        if let command = PortCommand(parameters, from: .client) {
          actions += obey(command)
        } else {
          unknownCount += 1
        }
      // RFC 854's Are You There, which can be answered with any text. Text would be mistaken for
      // the board's data, so the answer is a command without effect.
      case .command(246): probe()
      case .command(241), .command(249): break
      case .subnegotiation, .command: unknownCount += 1
      }
    }
    return actions
  }

  private mutating func negotiate(_ verb: TelnetVerb, _ code: UInt8) {
    let wasControlled = isControlled
    answers += negotiation.take(verb, code)
    decoder.isBinary = negotiation.isOn(.binary, .theirs)
    encoder.isBinary = negotiation.isOn(.binary, .ours)
    if isControlled, !wasControlled { notifyModem() }
  }

  /// Whether the client controls the port.
  private var isControlled: Bool {
    negotiation.isOn(.comPort, .theirs) || negotiation.isOn(.comPort, .ours)
  }

  private mutating func obey(_ command: PortCommand) -> [Action] {
    switch command {
    case .signature(let text): if text.isEmpty { answer(.signature(Array("SentryBench".utf8))) }
    case .speed(let value):
      let isNew = Int(exactly: value).map { $0 != speed && speeds.contains($0) } ?? false
      if isNew { speed = Int(value) }
      answer(.speed(UInt32(speed)))
      return isNew ? [.line(.speed(speed))] : []
    case .dataSize(let value):
      // RFC 2217 has no nine data bits.
      let isValid = (5...8).contains(value)
      defer { answer(.dataSize(format.dataSize)) }
      return isValid ? change { $0.dataSize = value } : []
    case .parity(let value):
      defer { answer(.parity(format.parity.rawValue)) }
      return LineFormat.Parity(rawValue: value).map { new in change { $0.parity = new } } ?? []
    case .stopSize(let value):
      defer { answer(.stopSize(format.stopSize.rawValue)) }
      return LineFormat.StopSize(rawValue: value).map { new in change { $0.stopSize = new } } ?? []
    case .control(let value):
      if let control = PortControl(rawValue: value) { return obey(control) }
      unknownCount += 1
    case .lineState: answer(.lineState(lineState.bits))
    case .modemState: answer(.modemState(modemState.bits))
    case .suspend: isSuspended = true
    case .resume: isSuspended = false
    case .lineStateMask(let mask):
      lineMask = mask
      answer(.lineStateMask(mask))
    case .modemStateMask(let mask):
      modemMask = mask
      answer(.modemStateMask(mask))
    case .purge(let value):
      guard (1...3).contains(value) else {
        unknownCount += 1
        break
      }
      if value & 1 != 0 { data = [] }
      answer(.purge(value))
      return value & 2 != 0 ? [.purgeLine] : []
    }
    return []
  }

  private mutating func obey(_ control: PortControl) -> [Action] {
    switch control {
    case .askFlow: answer(.control(flow.rawValue))
    case .noFlow, .softwareFlow, .hardwareFlow, .carrierFlow, .setReadyFlow:
      // The board has no lines for flow control, and takes its characters for data.
      flow = control
      answer(.control(control.rawValue))
    case .askInboundFlow: answer(.control(inboundFlow.rawValue))
    case .noInboundFlow, .softwareInboundFlow, .hardwareInboundFlow, .terminalReadyInboundFlow:
      inboundFlow = control
      answer(.control(control.rawValue))
    case .askBreak, .breakOn, .breakOff:
      let before = isInBreak
      if control != .askBreak { isInBreak = control == .breakOn }
      answer(.control((isInBreak ? PortControl.breakOn : .breakOff).rawValue))
      if isInBreak != before { return [.line(isInBreak ? .breakBegan : .breakEnded)] }
    case .askDTR, .setDTR, .clearDTR:
      let before = isDTRSet
      if control != .askDTR { isDTRSet = control == .setDTR }
      answer(.control((isDTRSet ? PortControl.setDTR : .clearDTR).rawValue))
      if isDTRSet, !before { return [.restart] }
    case .askRTS, .setRTS, .clearRTS:
      // RTS is not connected on an Uno.
      if control != .askRTS { isRTSSet = control == .setRTS }
      answer(.control((isRTSSet ? PortControl.setRTS : .clearRTS).rawValue))
    }
    return []
  }

  private mutating func change(_ set: (inout LineFormat) -> Void) -> [Action] {
    let before = format
    set(&format)
    return format == before ? [] : [.line(.format(format))]
  }

  /// Handles the end of the connection. A break ends with it.
  mutating func close() -> [Action] {
    defer { isInBreak = false }
    return isInBreak ? [.line(.breakEnded)] : []
  }

  // MARK: From the board

  /// Takes bytes from the board. Returns how many there was room for.
  mutating func send(_ bytes: [UInt8]) -> Int {
    let room = max(Self.dataMax - data.count, 0)
    data += bytes.prefix(room)
    if room < bytes.count { lineState.hasLostBytes = true }
    return min(room, bytes.count)
  }

  /// Takes the state of the line: how many bytes wait for it, and whether it is idle.
  mutating func note(waiting: Int, isIdle: Bool) {
    guard isControlled, acceptsInput else { return }
    let holds = waiting >= (isHolding ? Self.waitingLow : Self.waitingHigh)
    if holds != isHolding {
      isHolding = holds
      answer(holds ? .suspend : .resume)
      modemState.isClearToSend = !holds
      notifyModem()
    }
    let before = lineState
    lineState.isHoldingEmpty = waiting == 0
    lineState.isShiftEmpty = waiting == 0 && isIdle
    lineState.hasData = !data.isEmpty
    let masked = lineState.bits & lineMask
    if lineState.bits != before.bits || lineState.hasLostBytes, masked != 0 {
      answer(.lineState(masked))
    }
    lineState.hasLostBytes = false
  }

  /// Sends the client a command without effect (RFC 854's NOP).
  mutating func probe() { answers += [TelnetByte.interpretAsCommand, 241] }

  private mutating func notifyModem() {
    let masked = modemState.bits & modemMask
    if masked != 0 { answer(.modemState(masked)) }
    modemState.clearChanges()
  }

  private mutating func answer(_ command: PortCommand) { answers += command.bytes(from: .server) }

  // MARK: To the client

  /// Whether there is something to send.
  var hasOutput: Bool { !answers.isEmpty || !data.isEmpty && !isSuspended }

  /// Removes and returns the bytes to send now: all answers, and at most `count` of the board's
  /// bytes.
  mutating func takeOutput(data count: Int) -> [UInt8] {
    var bytes = answers
    answers = []
    if !isSuspended, count > 0, !data.isEmpty {
      bytes += encoder.encode(data.prefix(count))
      data.removeFirst(min(count, data.count))
    }
    return bytes
  }
}

/// The state of the line as RFC 2217 reports it.
struct LineState: Hashable, Sendable {
  /// Whether nothing waits for the line, followed by whether nothing is on it.
  var isHoldingEmpty = true
  var isShiftEmpty = true
  /// Whether bytes wait for the client.
  var hasData = false
  /// Whether bytes for the client have been lost since the last report.
  var hasLostBytes = false

  var bits: UInt8 {
    (isShiftEmpty ? 64 : 0) | (isHoldingEmpty ? 32 : 0) | (hasLostBytes ? 2 : 0)
      | (hasData ? 1 : 0)
  }
}

/// The modem lines that the server's end of a port reports. An Uno has none of them. A client that
/// waits for them is told that the board is present and ready, but not clear to send while many
/// bytes wait for the line.
struct ModemState: Hashable, Sendable {
  var isClearToSend = true { didSet { if isClearToSend != oldValue { hasChanged = true } } }
  private var hasChanged = false

  /// Carrier and data set ready, always; clear to send; the change of the latter since the last
  /// report.
  var bits: UInt8 { 128 | 32 | (isClearToSend ? 16 : 0) | (hasChanged ? 1 : 0) }

  mutating func clearChanges() { hasChanged = false }
}
