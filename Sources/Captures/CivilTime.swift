import Traces

/// Dates and times of day as nanoseconds since 1970, without a time zone.
enum CivilTime {
  static let second: Int64 = 1_000_000_000
  static let hour = 3_600 * second
  static let day = 24 * hour

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

  /// Returns an instant as in RFC 3339, with an offset from UTC in seconds.
  static func rfc3339(_ nanoseconds: Int64, offset: Int) -> String {
    var (days, rest) = nanoseconds.quotientAndRemainder(dividingBy: day)
    if rest < 0 {
      days -= 1
      rest += day
    }
    let date = civil(days)
    var text = padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
    text += "T" + timeOfDay(rest)
    guard offset != 0 else { return text + "Z" }
    let minutes = Int64(offset.magnitude / 60)
    return text + (offset < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2)
  }

  /// Returns a time of day as `HH:MM:SS.ffffff`.
  static func timeOfDay(_ nanoseconds: Int64) -> String {
    let rest = nanoseconds % day
    let seconds = rest / second
    return padded(seconds / 3_600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
      + padded(seconds % 60, 2) + "." + padded(rest % second / 1_000, 6)
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

  /// Returns the days since 1970-01-01. Counts years from March, so that the leap day comes last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let month = month <= 2 ? month + 9 : month - 3
    return year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 719_469
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    var year: Int64 = 1970 + days / 366
    while self.days(year + 1, 1, 1) <= days { year += 1 }
    var month: Int64 = 1
    while month < 12, self.days(year, month + 1, 1) <= days { month += 1 }
    return (year, month, days - self.days(year, month, 1) + 1)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
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
