import Turret

extension LiveScreen {
  func title(_ status: LiveStatus) -> [ScreenRun] {
    [ScreenRun("SentryBench  ", .faint), ScreenRun(status.port, .strong)]
  }

  func time(_ status: LiveStatus) -> [ScreenRun] { [ScreenRun(ScreenText.clock(status.time))] }

  /// What hangs on the port, and who is at its other end.
  func wiring(_ status: LiveStatus) -> [ScreenRun] {
    var runs = [
      ScreenRun("\(status.firmware.rawValue) · \(status.device) · \(status.baud) baud · ")
    ]
    if status.senderBaud != status.baud {
      runs.append(ScreenRun("sender at \(status.senderBaud) baud", .alarm))
      runs.append(ScreenRun(" · "))
    }
    switch status.clients {
    case 0: runs.append(ScreenRun("nobody has it open", .faint))
    case 1: runs.append(ScreenRun("1 program has it open"))
    default: runs.append(ScreenRun("\(status.clients) programs have it open", .warning))
    }
    return runs
  }

  func recording(_ status: LiveStatus) -> [ScreenRun] {
    guard let path = status.recording else { return [] }
    // Beside the rest there is seldom room for the folders.
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return recordingMark(status) + [ScreenRun(" \(name)")]
  }

  func recordingMark(_ status: LiveStatus) -> [ScreenRun] {
    status.recording == nil ? [] : [ScreenRun("●", .alarm)]
  }

  // MARK: -

  func noticeLines(_ status: LiveStatus, columns: Int, linesMax: Int) -> [String] {
    status.notice.map { ScreenText.wrapped($0, to: columns, linesMax: linesMax) } ?? []
  }

  func drawNotice(_ lines: [String], on canvas: inout ScreenCanvas, in area: ScreenArea) {
    for (index, line) in lines.enumerated() {
      canvas.put(line, .warning, in: area, line: index)
    }
  }
}
