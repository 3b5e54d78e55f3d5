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
