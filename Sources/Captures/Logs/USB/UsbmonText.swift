/// The lines of usbmon's text files: `1u` and `0u` with a bus, `1t` without.
///
///     ffff8edc1fa64f00 18755782 S Bo:2:002:2 -115 4 = 5839302e
///
/// Source of the format: Documentation/usb/usbmon.rst of Linux.
enum UsbmonText {
  /// When the stamps start again at 0, in nanoseconds: after 4 096 s.
  static let period: Int64 = 4_096_000_000_000

  /// Parses a line. Appends the data that it shows.
  static func parse(_ line: LineCursor, into data: inout [UInt8]) -> USBTransfer? {
    var cursor = line
    var transfer = USBTransfer()
    cursor.skipBlanks()
    let tag = cursor.takeText(upTo: 0x20)
    guard (4...16).contains(tag.count), tag.allSatisfy({ $0.hexDigit != nil }),
      cursor.skipBlanks() > 0, let time = cursor.takeNumber(), time < period / 1_000,
      cursor.take(0x20)
    else { return nil }
    transfer.stamp = time * 1_000
    guard takeStep(&cursor, &transfer), takeAddress(&cursor, &transfer) else { return nil }
    takeStatus(&cursor, &transfer)
    cursor.skipBlanks()
    guard let length = cursor.takeNumber() else { return nil }
    transfer.length = min(length, 1 << 30)
    cursor.skipBlanks()
    guard cursor.take("=") else { return transfer }
    // Words of four bytes. Those after the length would not have been transferred.
    while !cursor.isAtEnd, data.count < transfer.length {
      cursor.skipBlanks()
      guard let byte = cursor.takeHexByte() else { break }
      data.append(byte)
    }
    return transfer
  }

  private static func takeStep(_ cursor: inout LineCursor, _ transfer: inout USBTransfer) -> Bool {
    if cursor.take("S ") {
      transfer.isSubmission = true
      return true
    }
    return cursor.take("C ") || cursor.take("E ")
  }

  private static func takeAddress(
    _ cursor: inout LineCursor, _ transfer: inout USBTransfer
  ) -> Bool {
    if cursor.take("B") {
      transfer.kind = .bulk
    } else if cursor.take("C") {
      transfer.kind = .control
    } else if cursor.take("I") || cursor.take("Z") {
      transfer.kind = .other
    } else {
      return false
    }
    transfer.isIn = cursor.take("i")
    guard transfer.isIn || cursor.take("o"), cursor.take(":"), let first = cursor.takeNumber(),
      cursor.take(":"), let second = cursor.takeNumber()
    else { return false }
    if cursor.take(":") {
      guard let endpoint = cursor.takeNumber(), endpoint < 16 else { return false }
      transfer.bus = min(first, 65_535)
      transfer.device = min(second, 127)
      transfer.endpoint = UInt8(endpoint)
    } else {
      guard second < 16 else { return false }
      transfer.device = min(first, 127)
      transfer.endpoint = UInt8(second)
    }
    return true
  }

  /// Takes a status with what some kinds of transfer add to it, or a control transfer's request.
  private static func takeStatus(_ cursor: inout LineCursor, _ transfer: inout USBTransfer) {
    cursor.skipBlanks()
    guard cursor.take("s ") else {
      _ = cursor.takeText(upTo: 0x20)
      return
    }
    // `80 06 0100 0000 0012`: two bytes, and three numbers of two bytes, the higher byte first.
    for index in 0..<5 {
      guard let first = cursor.takeHexByte() else { return }
      if index < 2 {
        transfer.setup.append(first)
      } else if let second = cursor.takeHexByte() {
        transfer.setup += [second, first]
      }
      cursor.skipBlanks()
    }
  }
}
