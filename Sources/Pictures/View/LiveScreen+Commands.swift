import Traces
import Turret

extension LiveScreen {
  /// Draws as many commands as fit, newest last, with a heading if there is room for one.
  func drawCommands(_ status: LiveStatus, on canvas: inout ScreenCanvas, in area: ScreenArea) {
    var area = area
    if area.rows >= Self.commandRowsMin {
      let heading =
        status.describesCommands
        ? "commands as they were sent" : "commands as they are understood"
      drawRule(heading, on: &canvas, in: area.takeRows(1))
    }
    guard area.rows > 0, area.columns > 0 else { return }
    guard status.counts.commands != nil || status.describesCommands else {
      canvas.put("how the sketch interprets bytes is unknown", .faint, in: area)
      return
    }
    let commands = RecentCommand.find(in: status)
    guard !commands.isEmpty else {
      canvas.put("none yet", .faint, in: area)
      return
    }
    var blocks: [[[ScreenRun]]] = []
    var left = area.rows
    for command in commands.reversed() {
      let block = lines(command, columns: area.columns, linesMax: min(3, left))
      guard block.count <= left else { break }
      blocks.append(block)
      left -= block.count
      if left == 0 { break }
    }
    for (index, line) in blocks.reversed().joined().enumerated() {
      canvas.put(line, in: area, line: index)
    }
  }

  /// The time, bytes and fate; text that does not fit continues on the next line.
  private func lines(
    _ command: RecentCommand, columns: Int, linesMax: Int
  ) -> [[ScreenRun]] {
    let isNarrow = columns < 56
    let seconds = String(canonical: command.time.roundedUpToMicrosecond)
    let time = isNarrow ? String(seconds.dropLast(3)) : seconds
    let timeColumns = isNarrow ? 8 : 11
    let textColumns = isNarrow ? 6 : 8
    let indent = timeColumns + textColumns + (isNarrow ? 2 : 4)
    let gap = isNarrow ? " " : "  "
    let style: ScreenStyle =
      switch command.standing {
      case .obeyed, .sent: .plain
      case .pending: .faint
      case .misunderstood: .warning
      case .lost: .alarm
      }
    // Long bytes are truncated at the end.
    var text = command.text
    if text.unicodeScalars.count > textColumns {
      text = String(text.unicodeScalars.prefix(textColumns - 1)) + "…"
    }
    let words = ScreenText.wrapped(
      command.outcome, to: max(1, columns - indent), linesMax: linesMax)
    return words.enumerated().map { index, words in
      guard index == 0 else {
        return [ScreenRun(String(repeating: " ", count: indent)), ScreenRun(words, style)]
      }
      return [
        ScreenRun(ScreenText.rightAligned(time, to: timeColumns) + gap, .faint),
        ScreenRun(ScreenText.padded(text, to: textColumns) + gap, .strong),
        ScreenRun(words, style),
      ]
    }
  }
}
