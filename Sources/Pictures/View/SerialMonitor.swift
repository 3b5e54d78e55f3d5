import Sketches
import Traces

/// The view's serial monitor: the line that is typed, and how what passed is shown.
///
///     ▶ P120▏                        New line · Tab: line end · Ctrl-X: hexadecimal · Esc: leave
package struct SerialMonitor: Hashable, Sendable {
  /// What is added to a typed line, in the words of the Arduino IDE.
  package enum LineEnd: String, Hashable, Sendable, CaseIterable {
    case none = "No line ending"
    case newLine = "New line"
    case carriageReturn = "Carriage return"
    case both = "Both NL & CR"

    package var bytes: [UInt8] {
      switch self {
      case .none: []
      case .newLine: [0x0A]
      case .carriageReturn: [0x0D]
      case .both: [0x0D, 0x0A]
      }
    }

    fileprivate var next: LineEnd {
      let all = Self.allCases
      return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
  }

  private static let lengthMax = 1_024
  private static let historyMax = 100

  /// Whether it is shown instead of the commands.
  package var isShown: Bool
  /// Whether keys are for the line.
  package private(set) var isTyping = false
  package private(set) var isHexadecimal = false
  package private(set) var lineEnd: LineEnd
  /// The line, in ASCII.
  package private(set) var text: [UInt8] = []
  /// Why the line was not sent; nil if it can be.
  package private(set) var mistake: String?
  private var history: [[UInt8]] = []
  /// The place of the line in the history; its count for a new line.
  private var place = 0

  package init(isShown: Bool = false, lineEnd: LineEnd = .newLine) {
    self.isShown = isShown
    self.lineEnd = lineEnd
  }

  package mutating func begin() { (isShown, isTyping) = (true, true) }

  /// Takes the keys that were pressed at once, while `isTyping`. Returns what is to be sent, a line
  /// each.
  package mutating func take(_ keys: [UInt8]) -> [[UInt8]] {
    var sent: [[UInt8]] = []
    var rest = keys[...]
    while let key = rest.popFirst() {
      mistake = nil
      switch key {
      case 0x1B:
        // An arrow key is `ESC [ A`, the key Esc is alone.
        guard let kind = rest.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else {
          isTyping = false
          continue
        }
        rest.removeFirst()
        let code = rest.firstIndex { (0x40...0x7E).contains($0) } ?? rest.endIndex - 1
        if rest.indices.contains(code) {
          recall(rest[code])
          rest = rest[(code + 1)...]
        }
      case 0x0A, 0x0D:
        do throws(Mistake) {
          let bytes = try Self.bytes(of: text) + lineEnd.bytes
          if !bytes.isEmpty { sent.append(bytes) }
          if !text.isEmpty, history.last != text { history.append(text) }
          if history.count > Self.historyMax { history.removeFirst() }
          place = history.count
          text = []
        } catch {
          mistake = error.text
        }
      case 0x09: lineEnd = lineEnd.next
      case 0x18: isHexadecimal.toggle()
      case 0x15: text = []
      case 0x08, 0x7F: _ = text.popLast()
      case 0x20...0x7E where text.count < Self.lengthMax: text.append(key)
      default: break
      }
    }
    return sent
  }

  private mutating func recall(_ key: UInt8) {
    switch key {
    case UInt8(ascii: "A") where place > 0: place -= 1
    case UInt8(ascii: "B") where place < history.count: place += 1
    default: return
    }
    text = place < history.count ? history[place] : []
  }

  struct Mistake: Error, Hashable { var text: String }

  /// Returns the bytes of a typed line, which has escapes as the command line has.
  static func bytes(of line: [UInt8]) throws(Mistake) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = line[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
      case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "\\"): bytes.append(byte)
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.first != "+", let value = UInt8(digits, radix: 16)
        else { throw Mistake(text: "expected two hexadecimal digits after \\x, such as \\x0a") }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: throw Mistake(text: "expected \\n, \\r, \\t, \\\\ or \\x with two digits after \\")
      }
    }
    return bytes
  }
}

extension LiveDrawing {
  /// Draws the last entries of the log, newest last, with the line that is typed below them.
  mutating func drawMonitor(_ monitor: SerialMonitor, in area: ScreenArea) {
    var area = area
    if area.rows >= Self.commandRowsMin { drawRule("serial monitor", in: area.takeRows(1)) }
    if area.rows > 1 {
      var line = area
      line.row += area.rows - 1
      line.rows = 1
      area.rows -= 1
      drawTyped(monitor, in: line)
    }
    if let bytes = status.unanswered, area.rows > 1 {
      let text = SerialLog.shown(bytes, inHexadecimal: monitor.isHexadecimal)
      let words = "no answer for 5 s to `\(text)`; commands like it were answered before"
      canvas.put(words, .alarm, in: area, line: area.rows - 1)
      area.rows -= 1
    }
    guard area.rows > 0 else { return }
    let entries = status.serial.entries.suffix(area.rows)
    if entries.isEmpty { canvas.put("nothing sent or answered yet", .faint, in: area) }
    let isNarrow = area.columns < 56
    for (index, entry) in entries.enumerated() {
      let seconds = String(canonical: entry.time.roundedUpToMicrosecond)
      let time = ScreenText.rightAligned(
        String(seconds.dropLast(isNarrow ? 5 : 3)), to: isNarrow ? 6 : 8)
      let text = SerialLog.shown(entry.bytes, inHexadecimal: monitor.isHexadecimal)
      let (mark, style): (String, ScreenStyle) =
        switch entry.kind {
        case .sent: ("→ ", .commanded)
        case .answered: ("← ", .plain)
        case .refused: ("! ", .alarm)
        case .reset: ("the board restarted", .faint)
        }
      canvas.put(
        [ScreenRun(time + " ", .faint), ScreenRun(mark, style), ScreenRun(text, style)],
        in: area, line: index)
    }
  }

  private mutating func drawTyped(_ monitor: SerialMonitor, in area: ScreenArea) {
    guard monitor.isTyping else {
      let hint = status.canType ? "m: type a line to send" : ""
      return canvas.put(hint, .faint, in: area)
    }
    if let mistake = monitor.mistake { return canvas.put(mistake, .alarm, in: area) }
    let help = monitor.lineEnd.rawValue + " (Tab) · Ctrl-X: hexadecimal · Esc: leave"
    let text = String(decoding: monitor.text, as: UTF8.self) + "_"
    // The end of a long line is what is typed.
    let shown = String(text.suffix(max(1, area.columns - 2)))
    let hasRoom = shown.count + help.count + 6 <= area.columns
    drawLine(
      [ScreenRun("> ", .strong), ScreenRun(shown)], hasRoom ? [ScreenRun(help, .faint)] : [],
      in: area)
  }
}
