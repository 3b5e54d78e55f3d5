import Traces

extension CivilTime {
  /// Returns the instant; nil unless the date exists and is between 1970 and 2199, so that the sum
  /// of a few instants cannot overflow.
  static func nanoseconds(_ year: Int64, _ month: Int64, _ day: Int64, timeOfDay: Int64) -> Int64? {
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

  /// Takes `Z`, `+0100`, `+01:00` or ` +0100`: an offset from UTC, as nanoseconds.
  static func takeOffset(_ cursor: inout LineCursor) -> Int64? {
    if cursor.take(0x5a) { return 0 }
    let start = cursor.position
    _ = cursor.take(0x20)
    let isNegative = cursor.peek() == 0x2d
    if cursor.take(0x2b) || cursor.take(0x2d), let hours = cursor.takeDigits(2), hours < 24 {
      _ = cursor.take(0x3a)
      if let minutes = cursor.takeDigits(2), minutes < 60 {
        return (hours * 60 + minutes) * (isNegative ? -60 : 60) * second
      }
    }
    cursor.position = start
    return nil
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
    Array(text).withUnsafeBytes { bytes -> Int64? in
      var cursor = LineCursor(bytes)
      guard var time = CivilTime.takeDateAndTime(&cursor, 0x2d) else { return nil }
      if cursor.take(0x2e) {
        guard let fraction = cursor.takeFraction(), fraction.digits <= 9 else { return nil }
        time += fraction.billionths
      }
      time -= CivilTime.takeOffset(&cursor) ?? 0
      return cursor.isAtEnd ? time : nil
    }
  }
}
