import Traces

extension CivilTime {
  /// Returns the instant; nil unless the date exists and is between 1970 and 2199, so that the sum
  /// of a few instants cannot overflow.
  static func nanoseconds(
    _ year: Int64, _ month: Int64, _ day: Int64, timeOfDay: Int64
  ) -> Int64? {
    guard (1970..<2200).contains(year), (1...12).contains(month), day >= 1,
      day <= length(ofMonth: month, in: year)
    else { return nil }
    return days(year, month, day) * Self.day + timeOfDay
  }

  /// Takes `HH:MM:SS`, as nanoseconds. A leap second is accepted.
  static func takeTimeOfDay(_ cursor: inout LineCursor) -> Int64? {
    let start = cursor.position
    guard let hour = cursor.takeDigits(2), cursor.take(0x3a), let minute = cursor.takeDigits(2),
      cursor.take(0x3a), let second = cursor.takeDigits(2), hour < 24, minute < 60, second <= 60
    else {
      cursor.position = start
      return nil
    }
    return ((hour * 60 + minute) * 60 + second) * Self.second
  }

  /// Takes `YYYY/MM/DD HH:MM:SS`, with `separator` in place of `/`.
  static func takeDateAndTime(_ cursor: inout LineCursor, _ separator: UInt8 = 0x2f) -> Int64? {
    let start = cursor.position
    guard let year = cursor.takeDigits(4), cursor.take(separator), let month = cursor.takeDigits(2),
      cursor.take(separator), let day = cursor.takeDigits(2),
      cursor.take(0x20) || cursor.take(0x54),
      let timeOfDay = takeTimeOfDay(&cursor),
      let instant = nanoseconds(year, month, day, timeOfDay: timeOfDay)
    else {
      cursor.position = start
      return nil
    }
    return instant
  }

  /// Returns the number, from 1, of an English month's abbreviation; nil for anything else.
  static func month(_ name: UnsafeRawBufferPointer) -> Int64? {
    let names: [StaticString] = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    for (index, month) in names.enumerated() where name.isEqual(to: month) {
      return Int64(index + 1)
    }
    return nil
  }

  private static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A date and a time as in RFC 3339.
enum ISOTime {
  /// Parses a date, a time with at most nine decimal places, and an offset, as nanoseconds since
  /// 1970. Nil for anything else, and for years before 1970 or from 2200 on.
  static func nanoseconds(_ text: some Collection<UInt8>) -> Int64? {
    let bytes = Array(text)
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[range] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      return value
    }
    guard bytes.count >= 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      bytes[10] == UInt8(ascii: "T") || bytes[10] == 0x20, bytes[13] == UInt8(ascii: ":"),
      bytes[16] == UInt8(ascii: ":"), let year = number(0..<4), let month = number(5..<7),
      let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
      let second = number(17..<19), hour < 24, minute < 60, second <= 60,
      let local = CivilTime.nanoseconds(
        year, month, day, timeOfDay: ((hour * 60 + minute) * 60 + second) * CivilTime.second)
    else { return nil }
    var offset = 19
    var fraction: Int64 = 0
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      let start = offset + 1
      offset = start
      while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
      guard (1...9).contains(offset - start), let value = number(start..<offset) else { return nil }
      fraction = value
      for _ in (offset - start)..<9 { fraction *= 10 }
    }
    var zone: Int64 = 0
    let rest = bytes[offset...]
    if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      guard rest.count == 6, bytes[offset + 3] == UInt8(ascii: ":"),
        let hours = number((offset + 1)..<(offset + 3)),
        let minutes = number((offset + 4)..<(offset + 6))
      else { return nil }
      zone = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
    } else {
      guard rest.isEmpty || rest.elementsEqual([UInt8(ascii: "Z")]) else { return nil }
    }
    return local - zone * CivilTime.second + fraction
  }
}
