import Sketches
import Traces

/// Which of a log's ports and directions are the session's.
struct LogRoles: Hashable {
  /// The line of each port's records to the board and from it; nil if they are ignored.
  private var lines: [[Event.Line?]] = []

  /// Returns the line that a record's bytes were on, or nil if it is of another port.
  func line(of record: LogRecord) -> Event.Line? { line(record.port, record.direction) }

  func line(_ port: Int, _ direction: Event.Line) -> Event.Line? {
    port < lines.count ? lines[port][direction == .rx ? 0 : 1] : nil
  }

  /// Creates roles that ignore every port.
  init() {}

  /// Chooses by the options or, if they leave it open, by what the log shows.
  init(_ log: LogExamination, _ options: CaptureOptions) throws(CaptureError) {
    lines = Array(repeating: [nil, nil], count: log.ports.count)
    switch log.format.ports {
    case .ports:
      let port = try Self.port(log, options)
      lines[port] = options.direction == .reverse ? [.tx, .rx] : [.rx, .tx]
    case .sides:
      let (rx, tx) = try Self.sides(log, options)
      let isReversed = options.direction == .reverse
      if let rx { lines[rx] = isReversed ? [.tx, .tx] : [.rx, .rx] }
      if let tx { lines[tx] = isReversed ? [.rx, .rx] : [.tx, .tx] }
    }
  }

  // MARK: Ports

  private static func port(
    _ log: LogExamination, _ options: CaptureOptions
  ) throws(CaptureError) -> Int {
    let ports = log.ports
    let noun = log.format.portNoun
    let used = ports.indices.filter { log.isUsed($0) }
    var found = used
    if let name = options.port {
      found = used.filter { ports[$0].name == name || ports[$0].alias == name }
      guard !found.isEmpty else {
        throw CaptureError(
          .usage, "expected the \(noun) \(name) to carry bytes; these do: \(list(used, log))")
      }
    } else {
      found = used.filter { !ports[$0].isOnRequest }
    }
    let serial = found.filter { ports[$0].isSerial }
    if !serial.isEmpty { found = serial }
    if options.port != nil, found.contains(where: { !ports[$0].isOnRequest }) {
      found.removeAll { ports[$0].isOnRequest }
    }
    guard let first = found.first else {
      throw CaptureError(
        used.isEmpty
          ? "expected bytes to or from a serial port, found none"
          : "expected bytes of a serial port, found only these; choose with --port: "
            + list(used, log))
    }
    guard found.count == 1 else {
      throw CaptureError(
        .usage,
        "expected one \(noun) that carries bytes, found these; choose with --port: "
          + list(found, log))
    }
    return first
  }

  private static func list(_ indices: [Int], _ log: LogExamination) -> String {
    let names = indices.prefix(12).map { index in
      let port = log.ports[index]
      let alias = port.alias.isEmpty ? "" : " (\(PlainText.of(port.alias, upTo: 60)))"
      return PlainText.of(port.name, upTo: 40) + alias
        + ": \(String(counting: Int(log.bytes(index)), "byte"))"
    }
    return names.joined(separator: ", ") + (indices.count > 12 ? ", ..." : "")
  }

  // MARK: Sides

  private static let rxNames: Set<String> = [
    "rx", "d0", "app", "host", "pc", "sender", "computer", "pty", "software",
  ]
  private static let txNames: Set<String> = [
    "tx", "d1", "board", "device", "arduino", "turret", "uno", "dev", "ttyusb", "ttyacm", "ttys",
  ]

  private static func sides(
    _ log: LogExamination, _ options: CaptureOptions
  ) throws(CaptureError) -> (rx: Int?, tx: Int?) {
    let ports = log.ports.enumerated().map {
      LogicRecording.Channel(name: $0.element.name, index: $0.offset)
    }
    let used = ports.indices.filter { log.bytes($0) > 0 }
    var rx = try options.rxChannel.map { (name) throws(CaptureError) in
      try ports.position(of: name, as: .rx)
    }
    var tx = try options.txChannel.map { (name) throws(CaptureError) in
      try ports.position(of: name, as: .tx)
    }
    if let rx, rx == tx { throw ports[rx].isChosenTwice }
    let free = used.filter { $0 != rx && $0 != tx }
    if rx == nil { rx = only(free) { isNamed(ports[$0], rxNames) } }
    if tx == nil { tx = only(free) { $0 != rx && isNamed(ports[$0], txNames) } }
    let rest = used.filter { $0 != rx && $0 != tx }
    if rest.count == 1, tx != nil, rx == nil { rx = rest[0] }
    if rest.count == 1, rx != nil, tx == nil, options.txChannel == nil { tx = rest[0] }
    if rx == nil, tx == nil {
      if rest.count == 1, log.format.isAnalyzer || options.direction != nil {
        rx = rest[0]
      } else if rest.count == 1 {
        throw CaptureError(
          "expected both directions, found one without a name that tells which it is. If its bytes "
            + "were sent to the board, use --direction forward")
      } else if rest.count == 2, let sender = only(rest, where: { log.hasCommands($0) }) {
        rx = sender
        tx = rest.first { $0 != sender }
      }
    }
    guard rx != nil || tx != nil || used.isEmpty else {
      throw CaptureError(
        .usage,
        "expected names that tell which channel carries bytes to the board; choose with "
          + "--rx-channel and --tx-channel: \(list(used, log))")
    }
    return (rx, tx)
  }

  private static func only(_ indices: [Int], where isMatch: (Int) -> Bool) -> Int? {
    let found = indices.filter(isMatch)
    return found.count == 1 ? found[0] : nil
  }

  /// Whether one of the words in a name is in the set. A word also matches without the digits at
  /// its end.
  private static func isNamed(_ port: LogicRecording.Channel, _ names: Set<String>) -> Bool {
    port.words.contains { word in
      let digits = word.utf8.reversed().prefix { $0.decimalDigit != nil }.count
      return names.contains(word) || names.contains(String(word.dropLast(digits)))
    }
  }
}
