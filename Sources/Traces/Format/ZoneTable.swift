/// The offsets of a time zone from UTC, as a file of the system's database states them (TZif, RFC
/// 8536, from version 2 on).
package struct ZoneTable: Hashable, Sendable {
  /// From this second since 1970 on, in UTC, clocks are this many seconds to the east of UTC.
  fileprivate struct Change: Hashable {
    var time: Int64
    var offset: Int
  }

  /// The offset before all changes.
  private let first: Int
  private let changes: [Change]
  /// The offsets after all changes; nil if they are not known.
  private let rule: ZoneRule?

  /// Parses a file's contents; nil if they are anything else.
  package init?(file: [UInt8]) {
    var rest = file[...]
    // The first block is for programs that know only version 1, with 32 bits for a time.
    guard let old = Block(&rest, timeSize: 4), old.version >= UInt8(ascii: "2"),
      let block = Block(&rest, timeSize: 8), block.typeCount > 0,
      rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A)
    else { return nil }
    var offsets: [Int] = []
    for type in 0..<block.typeCount {
      let start = block.types.startIndex + type * 6
      let offset = Int(Block.number(block.types[start..<start + 4]))
      // As RFC 8536 recommends: from -25 h to 26 h.
      guard (-89_999...93_599).contains(offset) else { return nil }
      offsets.append(offset)
    }
    var changes: [Change] = []
    for (index, type) in block.kinds.enumerated() {
      let start = block.times.startIndex + index * 8
      let time = Block.number(block.times[start..<start + 8])
      guard Int(type) < offsets.count, changes.last.map({ $0.time < time }) ?? true else {
        return nil
      }
      changes.append(Change(time: time, offset: offsets[Int(type)]))
    }
    first = offsets[0]
    self.changes = changes
    let footer = rest[rest.startIndex + 1..<end]
    rule = ZoneRule(footer)
    if rule == nil, !footer.isEmpty { return nil }
  }

  /// Returns the offset when clocks show this time, in seconds since 1970; nil if it is not known.
  /// Of a time that clocks show twice, it is the first one; one that they leave out is taken to be
  /// after the change.
  package func offset(atLocal time: Int64) -> Int? {
    // The years from 1 to 9999.
    guard (-62_135_596_800...253_402_300_799).contains(time) else { return nil }
    var offset = first
    for change in changes {
      if time - Int64(offset) < change.time { return offset }
      offset = change.offset
    }
    guard let rule else { return nil }
    for change in rule.changes(around: time)
    where changes.last.map({ $0.time < change.time }) ?? true {
      if time - Int64(offset) < change.time { return offset }
      offset = change.offset
    }
    return offset
  }

  /// A header and the data that it describes.
  private struct Block {
    let version: UInt8
    let times: ArraySlice<UInt8>
    /// Which type each change leads to.
    let kinds: ArraySlice<UInt8>
    let typeCount: Int
    let types: ArraySlice<UInt8>

    /// Takes a block from the beginning of `rest`.
    init?(_ rest: inout ArraySlice<UInt8>, timeSize: Int64) {
      guard let header = Self.take(44, from: &rest), header.starts(with: Array("TZif".utf8)) else {
        return nil
      }
      let start = header.startIndex
      version = header[start + 4]
      // Indicators of two kinds, leap seconds, changes, types and the bytes of their names.
      let counts = (0..<6).map { index in
        Self.number(header[start + 20 + index * 4..<start + 24 + index * 4]) & 0xFFFF_FFFF
      }
      let others = counts[5] + counts[2] * (timeSize + 4) + counts[1] + counts[0]
      guard let times = Self.take(counts[3] * timeSize, from: &rest),
        let kinds = Self.take(counts[3], from: &rest),
        let types = Self.take(counts[4] * 6, from: &rest),
        Self.take(others, from: &rest) != nil
      else { return nil }
      (self.times, self.kinds, self.types) = (times, kinds, types)
      typeCount = types.count / 6
    }

    private static func take(
      _ count: Int64, from rest: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
      guard count <= Int64(rest.count) else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return rest.prefix(Int(count))
    }

    /// Returns a number with a sign, the highest byte first.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
      var value: Int64 = bytes.first.map { $0 > 0x7F ? -1 : 0 } ?? 0
      for byte in bytes { value = value << 8 | Int64(byte) }
      return value
    }
  }
}

/// The offsets of a time zone in every year, as POSIX states them: `CET-1CEST,M3.5.0,M10.5.0/3`.
private struct ZoneRule: Hashable, Sendable {
  /// A day of the year and a time on it.
  struct Moment: Hashable {
    enum Day: Hashable {
      /// A weekday, 0 for Sunday, in a week of a month; the fifth week is the last one.
      case weekday(Int64, week: Int64, month: Int64)
      /// A day from 0 on, or from 1 on and without counting the leap day.
      case number(Int64)
      case numberWithoutLeapDay(Int64)
    }

    var day: Day
    var time: Int64

    /// Returns it in seconds since 1970, in local time.
    func seconds(in year: Int64) -> Int64 {
      let newYear = CivilTime.days(year, 1, 1)
      var days: Int64
      switch day {
      case .number(let number): days = newYear + number
      case .numberWithoutLeapDay(let number):
        let isLeap = CivilTime.days(year + 1, 1, 1) - newYear == 366
        days = newYear + number - (isLeap && number >= 60 ? 0 : 1)
      case .weekday(let weekday, let week, let month):
        days = CivilTime.days(year, month, 1)
        // 1970 began on a Thursday.
        let ahead = (weekday - (days + 4) % 7 + 14) % 7
        days += ahead + (week - 1) * 7
        let next = month == 12 ? CivilTime.days(year + 1, 1, 1) : CivilTime.days(year, month + 1, 1)
        if days >= next { days -= 7 }
      }
      return days * 86_400 + time
    }
  }

  private var standard: Int
  /// The other offset, and when it begins and ends; nil if there is none.
  private var summer: Summer?

  private struct Summer: Hashable {
    var offset: Int
    var start: Moment
    var end: Moment
  }

  /// Returns the changes in the year of a local time, and in those before and after it.
  func changes(around time: Int64) -> [ZoneTable.Change] {
    guard let summer else { return [] }
    // In days, rounded down.
    let year = CivilTime.year(ofDay: (time - (time < 0 ? 86_399 : 0)) / 86_400)
    return (year - 1...year + 1).flatMap { year in
      [
        ZoneTable.Change(
          time: summer.start.seconds(in: year) - Int64(standard), offset: summer.offset),
        ZoneTable.Change(
          time: summer.end.seconds(in: year) - Int64(summer.offset), offset: standard),
      ]
    }.sorted { $0.time < $1.time }
  }

  /// Parses a rule; nil for anything else.
  init?(_ text: ArraySlice<UInt8>) {
    var rest = text
    guard Self.takeName(&rest), let west = Self.takeTime(&rest, hoursMax: 24) else { return nil }
    standard = Int(-west)
    guard !rest.isEmpty else { return }
    guard Self.takeName(&rest) else { return nil }
    var offset = standard + 3_600
    if rest.first != UInt8(ascii: ",") {
      guard let west = Self.takeTime(&rest, hoursMax: 24) else { return nil }
      offset = Int(-west)
    }
    guard let start = Self.takeMoment(&rest), let end = Self.takeMoment(&rest), rest.isEmpty else {
      return nil
    }
    summer = Summer(offset: offset, start: start, end: end)
  }

  private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Takes a name: letters, or anything between angle brackets.
  private static func takeName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if take("<", &rest) {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
    rest = rest[name.endIndex...]
    return name.count >= 3
  }

  private static func takeNumber(_ rest: inout ArraySlice<UInt8>, max: Int64) -> Int64? {
    var value: Int64?
    while let byte = rest.first, (0x30...0x39).contains(byte) {
      value = (value ?? 0) * 10 + Int64(byte - 0x30)
      guard value ?? 0 <= max else { return nil }
      rest.removeFirst()
    }
    return value
  }

  /// Takes `hh[:mm[:ss]]` with or without a sign, in seconds.
  private static func takeTime(_ rest: inout ArraySlice<UInt8>, hoursMax: Int64) -> Int64? {
    let isNegative = take("-", &rest)
    if !isNegative { _ = take("+", &rest) }
    guard let hours = takeNumber(&rest, max: hoursMax) else { return nil }
    var seconds = hours * 3_600
    for unit in [60, 1] as [Int64] where take(":", &rest) {
      guard let count = takeNumber(&rest, max: 59) else { return nil }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  /// Takes `,M3.5.0/2`, `,J60` or `,59`.
  private static func takeMoment(_ rest: inout ArraySlice<UInt8>) -> Moment? {
    guard take(",", &rest) else { return nil }
    let day: Moment.Day
    if take("M", &rest) {
      guard let month = takeNumber(&rest, max: 12), month > 0, take(".", &rest),
        let week = takeNumber(&rest, max: 5), week > 0, take(".", &rest),
        let weekday = takeNumber(&rest, max: 6)
      else { return nil }
      day = .weekday(weekday, week: week, month: month)
    } else if take("J", &rest) {
      guard let number = takeNumber(&rest, max: 365), number > 0 else { return nil }
      day = .numberWithoutLeapDay(number)
    } else {
      guard let number = takeNumber(&rest, max: 365) else { return nil }
      day = .number(number)
    }
    guard take("/", &rest) else { return Moment(day: day, time: 7_200) }
    return takeTime(&rest, hoursMax: 167).map { Moment(day: day, time: $0) }
  }
}
