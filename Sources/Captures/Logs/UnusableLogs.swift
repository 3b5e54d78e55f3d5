import Traces

/// Logs that cannot contain a session, or whose tool another one replaces. They are recognized, and
/// refused with advice on what to use instead.
enum UnusableLogs {
  private static let replacement =
    "Record the same port with socat -x -v, which also shows both directions and microseconds"

  static let interceptTTY = "the logs of interceptty are not read. " + replacement
  static let slsnif = "the logs of slsnif are not read. " + replacement

  private static let reason =
    "a log of this kind has only what the board sent, with one time per line: it does not show "
    + "what was sent to the board, so no session can be made from it. "

  static let tio =
    reason + "Run tio on a pseudo-terminal of socat -x -v, or trace it with strace -f -ttt -s 65535"
  static let grabserial =
    reason + "Record the sender's port with socat -x -v, or with strace -f -ttt -s 65535"
  static let ts =
    reason + "Record with socat -x -v, or trace the program with strace -f -ttt -s 65535"
  static let arduinoMonitor =
    reason + "Record the port over USB (usbmon, or USBPcap on Windows) while the monitor runs"
  static let saleaeSession =
    "the format of Saleae's .sal files is not public. In Logic 2 export the raw data as CSV or "
    + "binary, or the data table of the serial analysers as hexadecimal numbers"

  /// `[03:30 05.158883]< 0x58 (X)`, with blanks or nothing in place of the time; in interceptty's
  /// fork `[9531820505:158883]   < 58(X):31(1)`.
  static func isInterceptTTY(_ line: LineCursor) -> Bool {
    var cursor = line
    if cursor.take(0x5b) {
      _ = cursor.takeText(upTo: 0x5d)
      guard cursor.take(0x5d) else { return false }
    }
    cursor.skipBlanks()
    guard cursor.takeDirection("< ", "> ") != nil else { return false }
    cursor.skipBlanks()
    if cursor.take("0x") { return cursor.takeHexByte() != nil && cursor.take(" (") }
    return cursor.takeHexByte() != nil && cursor.take(0x28)
  }

  /// Whether a line is `Host   --> X (58)` or `Device --> k (6b)`. Lines with the date are between
  /// these.
  static func isSlsnif(_ head: CaptureHead) -> Recognition {
    head.recognitionByAnyLine {
      $0.bytes.starts(with: "Host   --> ") || $0.bytes.starts(with: "Device --> ")
    }
  }

  /// `[2026-01-31T12:00:00.123] text`, `[12:00:00.123] text`
  static func isTio(_ line: LineCursor) -> Bool {
    var cursor = line
    guard cursor.take(0x5b) else { return false }
    if CivilTime.takeDateAndTime(&cursor, 0x2d) == nil, CivilTime.takeTimeOfDay(&cursor) == nil {
      return false
    }
    guard cursor.take(0x2e), cursor.takeDigits(3) != nil else { return false }
    return cursor.take("] ")
  }

  /// `[0.000001 0.000001] text`
  static func isGrabserial(_ line: LineCursor) -> Bool {
    var cursor = line
    guard cursor.take(0x5b) else { return false }
    for index in 0..<2 {
      cursor.skipBlanks()
      guard cursor.takeNumber() != nil, cursor.take(0x2e), cursor.takeDigits(6) != nil,
        cursor.take(index == 0 ? 0x20 : 0x5d)
      else { return false }
    }
    return cursor.isAtEnd || cursor.take(0x20)
  }

  /// Whether most lines are those of `ts`. Other logs can look like that: strace's, for one.
  static func isStamped(_ head: CaptureHead) -> Recognition {
    head.recognitionByMostLines(isStamped(line:)) == .no ? .no : .possible
  }

  /// `1795318454.397953 text`, `Jan 31 12:00:00 text`
  private static func isStamped(line: LineCursor) -> Bool {
    var cursor = line
    if cursor.takeDigits(10) != nil {
      return cursor.take(0x2e) && cursor.takeFraction() != nil && cursor.take(0x20)
    }
    guard CivilTime.month(cursor.takeText(upTo: 0x20)) != nil, cursor.take(0x20),
      cursor.takeDigits(2) != nil, cursor.take(0x20),
      CivilTime.takeTimeOfDay(&cursor) != nil
    else { return false }
    return cursor.isAtEnd || cursor.peek() == 0x20
  }

  /// `12:00:00.123 -> text`
  static func isArduinoMonitor(_ line: LineCursor) -> Bool {
    var cursor = line
    guard CivilTime.takeTimeOfDay(&cursor) != nil, cursor.take(0x2e),
      cursor.takeDigits(3) != nil
    else { return false }
    return cursor.take(" -> ") || cursor.rest.isEqual(to: " ->")
  }

  /// A zip whose first member is one of Logic 2's.
  static func isSaleaeSession(_ head: CaptureHead) -> Recognition {
    guard head.starts(with: "PK\u{3}\u{4}"), head.bytes.count > 30 else { return .no }
    let members: [StaticString] = ["digital-", "analog-", "meta.json"]
    return head.bytes.withUnsafeBytes { bytes in
      let name = UnsafeRawBufferPointer(rebasing: bytes[30...])
      return members.contains { name.starts(with: $0) } ? .certain : .no
    }
  }
}
