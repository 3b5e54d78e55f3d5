import Traces

/// What `strace` prints about a program that uses a serial port. What the program writes is sent to
/// the board, and what it reads is from the board.
///
/// Source of the format: strace 5 to 7, and its manual page. `-n`, `-i` and `-Y` print more in
/// front of a call, `-N` the names of the arguments.
///
/// | `strace` | `strace -f -ttt` | 1 us | 2 ms |
struct StraceLog: LineLogReader {
  static let format = LogFormat(
    kind: .strace, source: "strace", clock: .absolute(isEpoch: true), uncertainty: 2_000_000,
    portNoun: "file descriptor")

  private(set) var resolution: Int64 = 1_000
  private(set) var notes: [String] = []
  private(set) var clock = format.clock
  private(set) var baud: Int?

  private var files = StraceFiles()
  private var record = LogRecord()
  /// The unfinished call of each process: the arguments so far, and when it began.
  private var unfinished: [Int64: Unfinished] = [:]
  /// The sum of relative stamps.
  private var elapsed: Int64 = 0
  private var isCutOff = false
  /// The last record's time, and whether it differs from that of its line.
  private var last: (stamp: Int64, isAdjusted: Bool)?

  private struct Unfinished {
    var name: [UInt8]
    var arguments: [UInt8]
    var stamp: Int64?
  }

  /// The most calls that can be unfinished at once, and the most bytes in one.
  private static let unfinishedMax = 1_024
  private static let argumentsMax = 1 << 16

  init(_ options: CaptureOptions) {}

  var ports: [LogPort] { files.ports }

  static func recognize(_ head: CaptureHead) -> Recognition {
    head.recognitionByMostLines(recognizes)
  }

  /// Whether a line is a call that strace printed, or part of the stack trace that `-k` adds, such
  /// as ` > /usr/lib/libc.so.6(write+0x4d) [0xf7c5d]`.
  static func recognizes(_ line: LineCursor) -> Bool {
    if line.bytes.starts(with: " > "), line.bytes.last == 0x5d { return true }
    guard let call = StraceCall(line), call.form != .other else { return false }
    return call.result != nil || call.form != .whole
      || line.bytes.contains { $0 == 0x3d } && line.bytes.last == 0x29
  }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    isCutOff = false
    guard let call = StraceCall(line) else {
      isCutOff = true
      // Stack traces, messages and the program's own output are between the calls.
      guard !Self.isTransfer(line.bytes) else {
        throw CaptureError(
          at: line.place,
          "expected a call as strace prints it, such as write(3, \"X90.\", 4) = 4, found other "
            + "text before it")
      }
      return
    }
    let stamp = instant(of: call)
    switch call.form {
    case .other: return
    case .unfinished:
      guard unfinished.count < Self.unfinishedMax, Self.isOfInterest(call.name) else { return }
      let arguments = call.arguments.rest.dropLast(16)
      guard arguments.count <= Self.argumentsMax else { return }
      unfinished[call.pid] = Unfinished(
        name: Array(call.name), arguments: Array(arguments), stamp: stamp)
    case .resumed:
      guard let begun = unfinished.removeValue(forKey: call.pid),
        begun.name.elementsEqual(call.name)
      else { return }
      try resume(call, begun, stamp, give)
    case .whole:
      guard Self.isOfInterest(call.name) else { return }
      try carryOut(call, stamp, give)
    }
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {
    if isCutOff, isCut { notes.append("The log ends within a line; that line was left out.") }
    if resolution >= CivilTime.second {
      notes.append("The stamps are whole seconds; record with -ttt for microseconds.")
    }
  }

  /// Whether a line has a call that transfers bytes, and its result.
  private static func isTransfer(_ line: UnsafeRawBufferPointer) -> Bool {
    let calls: [StaticString] = ["read(", "write(", "readv(", "writev("]
    guard let equals = line.lastIndex(of: 0x3d), equals > 0, equals + 2 < line.count,
      line[equals - 1] == 0x20, line[equals + 1] == 0x20, line[equals + 2].decimalDigit != nil
    else { return false }
    return calls.contains { line.includes($0) }
  }

  // MARK: Times

  private mutating func instant(of call: StraceCall) -> Int64? {
    if call.stamp != .none {
      resolution = call.digits == 0 ? CivilTime.second : call.digits <= 6 ? 1_000 : 1
    }
    switch call.stamp {
    case .none: return nil
    case .epoch(let time):
      clock = .absolute(isEpoch: true)
      return time
    case .timeOfDay(let time):
      clock = .timeOfDay
      return time
    case .relative(let step):
      clock = .absolute(isEpoch: false)
      guard elapsed < 1 << 61 else { return nil }
      elapsed += step
      return elapsed
    }
  }

  /// Keeps the records in the order of their lines if the time of one differs from that of its
  /// line, because the call was interrupted or has a duration.
  private mutating func keepOrder(isAdjusted: Bool) {
    guard let stamp = record.stamp else { return }
    if let last, isAdjusted || last.isAdjusted, stamp < last.stamp,
      last.stamp - stamp < 60 * CivilTime.second
    {
      record.stamp = last.stamp
    }
    last = (record.stamp ?? stamp, isAdjusted)
  }

  // MARK: Calls

  private static func isOfInterest(_ name: UnsafeRawBufferPointer) -> Bool {
    switch name.first {
    case 0x72: name.isEqual(to: "read") || name.isEqual(to: "readv")
    case 0x77: name.isEqual(to: "write") || name.isEqual(to: "writev")
    case 0x6f: name.starts(with: "open")
    case 0x63: name.isEqual(to: "close") || name.starts(with: "clone")
    case 0x64: name.starts(with: "dup")
    case 0x66: name.starts(with: "fcntl") || name.isEqual(to: "fork")
    case 0x69: name.isEqual(to: "ioctl")
    case 0x76: name.isEqual(to: "vfork")
    default: false
    }
  }

  /// Joins both parts of a call that another process interrupted in the log.
  private mutating func resume(
    _ call: StraceCall, _ begun: Unfinished, _ stamp: Int64?, _ give: LogRecord.Take
  ) throws(CaptureError) {
    let joined = begun.arguments + Array(call.arguments.rest)
    let isRead = begun.name.first == 0x72
    try joined.withBytes { (bytes) throws(CaptureError) in
      var whole = call
      whole.arguments = LineCursor(bytes, line: call.arguments.number)
      whole.duration = nil
      // A read has its bytes when the call returns; a write sends them when it begins.
      try carryOut(whole, isRead ? stamp : begun.stamp, give)
    }
  }

  private mutating func carryOut(
    _ call: StraceCall, _ stamp: Int64?, _ give: LogRecord.Take
  ) throws(CaptureError) {
    guard let result = call.result else { return }
    var cursor = call.arguments
    switch call.name.first {
    case 0x72, 0x77: try transfer(call, stamp, result, give)
    case 0x6f: open(result, call.pid, &cursor)
    case 0x63 where call.name.starts(with: "clone"):
      let flags = cursor.rest
      files.fork(result, of: call.pid, sharesFiles: flags.includes("CLONE_FILES"))
    case 0x63:
      if let descriptor = cursor.takeArgument() { files.close(descriptor, of: call.pid) }
    case 0x64:
      if let descriptor = cursor.takeArgument() {
        files.duplicate(descriptor, as: result, of: call.pid)
      }
    case 0x66 where call.name.isEqual(to: "fork"), 0x76:
      files.fork(result, of: call.pid, sharesFiles: false)
    case 0x66:
      if let descriptor = cursor.takeArgument(), cursor.rest.includes("F_DUPFD") {
        files.duplicate(descriptor, as: result, of: call.pid)
      }
    case 0x69:
      guard let descriptor = cursor.takeArgument() else { return }
      let requests: [StaticString] = ["TCSETS", "TIOCM", "TIOCEXCL"]
      if requests.contains(where: { cursor.rest.includes($0) }) {
        files.markTerminal(descriptor, of: call.pid)
        if descriptor > 2 { baud = Self.baud(in: cursor.rest) ?? baud }
      }
    default: return
    }
  }

  /// The speed among a terminal's settings, `c_cflag=B9600|CS8`, or `{B9600 -opost` in an older
  /// strace; nil if there is none, or it is 0.
  private static func baud(in settings: UnsafeRawBufferPointer) -> Int? {
    for index in settings.indices.dropFirst() where settings[index] == 0x42 {
      guard settings[index - 1] == 0x3d || settings[index - 1] == 0x7b else { continue }
      var cursor = LineCursor(UnsafeRawBufferPointer(rebasing: settings[(index + 1)...]))
      if let baud = cursor.takeNumber(), baud > 0 { return Int(exactly: baud) }
    }
    return nil
  }

  private mutating func open(_ descriptor: Int64, _ pid: Int64, _ cursor: inout LineCursor) {
    while let byte = cursor.peek(), byte != 0x22 { cursor.position += 1 }
    var path: [UInt8] = []
    var isCut = false
    guard StraceText.take(&cursor, into: &path, isCut: &isCut) else { return }
    let flags = cursor.rest
    files.open(
      descriptor, of: pid, path: String(decoding: path, as: UTF8.self),
      isTerminal: flags.includes("O_NOCTTY"), isReadOnly: flags.includes("O_RDONLY"))
  }

  private mutating func transfer(
    _ call: StraceCall, _ stamp: Int64?, _ result: Int64, _ give: LogRecord.Take
  ) throws(CaptureError) {
    guard result > 0 else { return }
    var cursor = call.arguments
    guard let descriptor = cursor.takeArgument() else {
      throw CaptureError(at: call.arguments.place, "expected a file descriptor, such as 3 or fd=3")
    }
    // `-y` prints the path after the descriptor.
    var path: String?
    if cursor.take(0x3c) {
      var text = LineCursor(cursor.takeText(upTo: 0x3e))
      path = text.takeText(upTo: 0x3c).name
    }
    guard let port = files.port(descriptor, of: call.pid, path: path) else { return }
    record.bytes.removeAll(keepingCapacity: true)
    var isCut = false
    while !cursor.isAtEnd, Int64(record.bytes.count) < result {
      if cursor.peek() == 0x22 {
        guard StraceText.take(&cursor, into: &record.bytes, isCut: &isCut) else { break }
      } else {
        cursor.position += 1
      }
    }
    if Int64(record.bytes.count) > result {
      record.bytes.removeLast(record.bytes.count - Int(result))
    }
    record.missing = min(result - Int64(record.bytes.count), LogRecord.missingMax)
    let isRead = call.name.first == 0x72
    record.begin(stamp, isRead ? .tx : .rx, port: port, at: call.arguments.place)
    record.clock = clock
    if isRead, let duration = call.duration { record.stamp = stamp.map { $0 + duration } }
    keepOrder(isAdjusted: call.form == .resumed || call.duration != nil)
    try give(record)
  }
}

/// The file descriptors of the processes in a log of `strace`. A descriptor can be reused after a
/// `close`, so each opening is a separate port; openings of the same path with the same descriptor
/// share one.
struct StraceFiles {
  /// The most ports and processes that are distinguished.
  private static let portsMax = 4_096
  private static let processesMax = 256

  private(set) var ports: [LogPort] = []
  /// The open descriptors of each table, as port indices. Threads share a table.
  private var tables: [[Int64: Int]] = [[:]]
  private var tableOfProcess: [Int64: Int] = [:]
  private var portOfPath: [String: Int] = [:]

  /// Returns the port of a descriptor, which may have been opened before the log begins.
  mutating func port(_ descriptor: Int64, of pid: Int64, path: String?) -> Int? {
    let table = tableOfProcess[pid] ?? 0
    if let port = tables[table][descriptor] {
      guard path != nil, ports[port].alias.isEmpty else { return port }
    }
    return open(descriptor, of: pid, path: path ?? "", isTerminal: false, isReadOnly: false)
  }

  /// Opens a descriptor. Returns its port, or nil if there are too many.
  @discardableResult
  mutating func open(
    _ descriptor: Int64, of pid: Int64, path: String, isTerminal: Bool, isReadOnly: Bool
  ) -> Int? {
    let table = tableOfProcess[pid] ?? 0
    let key = "\(descriptor) \(path)"
    let isSerial = isTerminal || Self.isTerminal(path)
    let port: Int
    if !path.isEmpty, let known = portOfPath[key] {
      port = known
    } else {
      guard ports.count < Self.portsMax else { return nil }
      port = ports.count
      ports.append(LogPort(name: "\(descriptor)", alias: path))
      if !path.isEmpty { portOfPath[key] = port }
    }
    if isSerial { ports[port].isSerial = true }
    ports[port].isOnRequest = !ports[port].isSerial && (isReadOnly || descriptor <= 2)
    tables[table][descriptor] = port
    return port
  }

  mutating func close(_ descriptor: Int64, of pid: Int64) {
    tables[tableOfProcess[pid] ?? 0][descriptor] = nil
  }

  /// `dup`: both descriptors are the same port.
  mutating func duplicate(_ descriptor: Int64, as other: Int64, of pid: Int64) {
    let table = tableOfProcess[pid] ?? 0
    if let port = tables[table][descriptor] {
      tables[table][other] = port
    } else if let port = port(descriptor, of: pid, path: nil) {
      tables[table][other] = port
    }
  }

  /// `ioctl` for terminals: the descriptor is a terminal.
  mutating func markTerminal(_ descriptor: Int64, of pid: Int64) {
    // Standard input and output are terminals too, but not the board's.
    guard descriptor > 2, let port = port(descriptor, of: pid, path: nil) else { return }
    ports[port].isSerial = true
    ports[port].isOnRequest = false
  }

  /// `clone`, `fork`: a new process, which shares its parent's table or gets a copy of it.
  mutating func fork(_ child: Int64, of pid: Int64, sharesFiles: Bool) {
    guard tableOfProcess[child] == nil, tableOfProcess.count < Self.processesMax else { return }
    let table = tableOfProcess[pid] ?? 0
    if sharesFiles {
      tableOfProcess[child] = table
    } else {
      tableOfProcess[child] = tables.count
      tables.append(tables[table])
    }
  }

  private static func isTerminal(_ path: String) -> Bool {
    ["/dev/tty", "/dev/pts/", "/dev/cu.", "/dev/serial/", "/dev/rfcomm", "/dev/arduino"]
      .contains { path.hasPrefix($0) } && path != "/dev/tty"
  }
}
