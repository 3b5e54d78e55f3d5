import Traces

/// A line of `strace`, parsed as far as is needed for bytes and file descriptors.
struct StraceCall {
  /// When the line was printed.
  enum Stamp: Hashable {
    /// `-ttt`: since 1970, in UTC.
    case epoch(Int64)
    /// `-t`, `-tt`: the time of day.
    case timeOfDay(Int64)
    /// `-r`: since the line before.
    case relative(Int64)
    case none
  }

  /// What the line is.
  enum Form: Hashable {
    case whole
    /// `write(3, "X", 1 <unfinished ...>`
    case unfinished
    /// `<... write resumed>) = 1`
    case resumed
    /// A signal or the end of a process.
    case other
  }

  var pid: Int64 = 0
  var stamp = Stamp.none
  /// The number of digits in the stamp's fraction.
  var digits = 0
  var form = Form.whole
  var name = UnsafeRawBufferPointer(start: nil, count: 0)
  /// What is between the parentheses, as far as the line contains it.
  var arguments = LineCursor(UnsafeRawBufferPointer(start: nil, count: 0))
  /// What the call returned; nil if it failed or has not returned.
  var result: Int64?
  /// `-T`: how long the call took, in nanoseconds.
  var duration: Int64?

  /// Parses a line. Nil if it is not one of strace's.
  init?(_ line: LineCursor) {
    var cursor = line
    takePid(&cursor)
    takeStamp(&cursor)
    Self.skipBrackets(&cursor)
    if cursor.take("+++ ") || cursor.take("--- ") {
      form = .other
      return
    }
    if cursor.take("<... ") {
      form = .resumed
      name = cursor.takeText(upTo: 0x20)
      guard cursor.take(" resumed") else { return nil }
      _ = cursor.take(0x3e)
    } else {
      name = Self.takeName(&cursor)
      guard !name.isEmpty, cursor.take(0x28) else { return nil }
    }
    arguments = cursor
    takeResult(line.bytes, from: cursor.position)
  }

  private mutating func takePid(_ cursor: inout LineCursor) {
    let start = cursor.position
    let isBracketed = cursor.take("[pid")
    cursor.skipBlanks()
    if let number = cursor.takeNumber() {
      // `-Y` prints the program's name after the number.
      if cursor.take(0x3c) {
        _ = cursor.takeText(upTo: 0x3e)
        _ = cursor.take(0x3e)
      }
      if !isBracketed || cursor.take(0x5d), cursor.skipBlanks() > 0 {
        pid = number
        return
      }
    }
    cursor.position = start
  }

  /// Takes what `-n` and `-i` print before a call: its number, and the program's counter, as in
  /// `[ 257] [00007f40b5ee32ad] `.
  private static func skipBrackets(_ cursor: inout LineCursor) {
    while cursor.peek() == 0x5b {
      var next = cursor
      next.position += 1
      next.skipBlanks()
      while let byte = next.peek(), byte.hexDigit != nil || byte == 0x3f { next.position += 1 }
      guard next.take(0x5d), next.skipBlanks() > 0 else { return }
      cursor = next
    }
  }

  /// Takes one stamp, or two if `-r` is combined with another; the absolute one counts.
  private mutating func takeStamp(_ cursor: inout LineCursor) {
    cursor.skipBlanks()
    let start = cursor.position
    if cursor.take("(+") {
      cursor.skipBlanks()
      if let seconds = takeSeconds(&cursor), cursor.take(0x29) {
        stamp = .relative(seconds)
        cursor.skipBlanks()
        return
      }
      cursor.position = start
      return
    }
    if let time = CivilTime.takeTimeOfDay(&cursor) {
      stamp = .timeOfDay(time + takeFraction(&cursor))
    } else if let seconds = takeSeconds(&cursor) {
      stamp = seconds > 30_000_000 * CivilTime.second ? .epoch(seconds) : .relative(seconds)
    } else {
      return
    }
    cursor.skipBlanks()
    // `-r` next to an absolute stamp.
    if cursor.take("(+") {
      _ = cursor.takeText(upTo: 0x29)
      _ = cursor.take(0x29)
      cursor.skipBlanks()
    }
  }

  private mutating func takeSeconds(_ cursor: inout LineCursor) -> Int64? {
    let start = cursor.position
    guard let seconds = cursor.takeNumber(), seconds < 7_000_000_000, cursor.peek() == 0x2e else {
      cursor.position = start
      return nil
    }
    return seconds * CivilTime.second + takeFraction(&cursor)
  }

  private mutating func takeFraction(_ cursor: inout LineCursor) -> Int64 {
    guard cursor.take(0x2e), let fraction = cursor.takeFraction() else { return 0 }
    digits = fraction.digits
    return fraction.billionths
  }

  private static func takeName(_ cursor: inout LineCursor) -> UnsafeRawBufferPointer {
    let start = cursor.position
    while let byte = cursor.peek(),
      (0x61...0x7a).contains(byte) || byte == 0x5f || byte.decimalDigit != nil
    { cursor.position += 1 }
    return UnsafeRawBufferPointer(rebasing: cursor.bytes[start..<cursor.position])
  }

  /// Finds the last `) = result` in the line, because strings can contain it too.
  private mutating func takeResult(_ line: UnsafeRawBufferPointer, from start: Int) {
    var end = line.count
    while end > start, line[end - 1] == 0x20 { end -= 1 }
    if line.count >= 16, LineCursor(line, at: line.count - 16).rest.isEqual(to: "<unfinished ...>")
    {
      form = .unfinished
      return
    }
    if end > 0, line[end - 1] == 0x3e {
      var open = end - 1
      while open > start, line[open] != 0x3c { open -= 1 }
      var cursor = LineCursor(line, at: open + 1)
      if let seconds = cursor.takeNumber(), seconds < 1_000_000, cursor.take(0x2e),
        let fraction = cursor.takeFraction()
      {
        duration = seconds * CivilTime.second + fraction.billionths
        end = open
      }
    }
    var position = end - 1
    while position > start {
      // `= ` with a `)` and blanks before it.
      if line[position] == 0x3d, position + 1 < end, line[position + 1] == 0x20 {
        var before = position - 1
        while before > start, line[before] == 0x20 { before -= 1 }
        if before >= start, line[before] == 0x29 {
          var cursor = LineCursor(line, at: position + 2)
          result = cursor.takeArgument()
          return
        }
      }
      position -= 1
    }
  }
}

extension LineCursor {
  /// Takes a number as strace prints it: decimal, or hexadecimal after `0x`, with the argument's
  /// name and `=` before it if `-N` was given. Nil if there is none.
  mutating func takeArgument() -> Int64? {
    var next = self
    while let byte = next.peek(), (0x61...0x7a).contains(byte) || byte == 0x5f {
      next.position += 1
    }
    if next.position == position || next.take(0x3d) { position = next.position }
    guard take("0x") else { return takeNumber() }
    var value: Int64 = 0
    let start = position
    while let digit = peek()?.hexDigit {
      guard position - start < 15 else { return nil }
      value = value << 4 | Int64(digit)
      position += 1
    }
    return position > start ? value : nil
  }
}

/// The strings of `strace`, with octal and hexadecimal escapes. They can be cut off.
enum StraceText {
  /// Takes a string in quotes and appends its bytes. Returns false if there is none. Sets `isCut`
  /// if `...` follows it.
  static func take(
    _ cursor: inout LineCursor, into bytes: inout [UInt8], isCut: inout Bool
  ) -> Bool {
    guard cursor.take(0x22) else { return false }
    while let byte = cursor.peek() {
      cursor.position += 1
      if byte == 0x22 {
        if cursor.take("...") { isCut = true }
        return true
      }
      bytes.append(byte == 0x5c ? takeEscaped(&cursor) : byte)
    }
    return false
  }

  private static func takeEscaped(_ cursor: inout LineCursor) -> UInt8 {
    guard let letter = cursor.peek() else { return 0x5c }
    if let first = octal(letter) {
      cursor.position += 1
      var value = first
      var count = 1
      // At most three digits, so `\3771` is a byte and the character 1.
      while count < 3, let next = cursor.peek(), let digit = octal(next), value < 32 {
        value = value << 3 | digit
        cursor.position += 1
        count += 1
      }
      return value
    }
    cursor.position += 1
    if letter == UInt8(ascii: "x") { return cursor.takeHexByte() ?? letter }
    return letter.escapedByte ?? letter
  }

  private static func octal(_ byte: UInt8) -> UInt8? {
    (0x30...0x37).contains(byte) ? byte - 0x30 : nil
  }
}
