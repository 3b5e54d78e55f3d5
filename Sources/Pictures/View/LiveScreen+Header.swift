import Turret

extension LiveScreen {
  func title(_ status: LiveStatus) -> [ScreenRun] {
    [ScreenRun("SentryBench  ", .faint), ScreenRun(status.port, .strong)]
  }

  /// The time and, if there is room for it next to `left`, how to end the session.
  func time(_ status: LiveStatus, beside left: [ScreenRun], columns: Int) -> [ScreenRun] {
    let time = [ScreenRun(ScreenText.clock(status.time))]
    let both = [ScreenRun(status.ending + "   ", .faint)] + time
    return left.width + 2 + both.width <= columns ? both : time
  }

  /// The device at the port, its speed, and its clients.
  func wiring(_ status: LiveStatus) -> [ScreenRun] {
    let clients = clients(status)
    let verb = status.clients < 2 ? "has" : "have"
    return device(status)
      + [ScreenRun(" · "), clients, ScreenRun(" \(verb) it open", clients.style)]
  }

  func device(_ status: LiveStatus) -> [ScreenRun] {
    let device = ScreenRun("\(status.sketchName) · \(status.device) · ")
    guard status.senderBaud != status.baud else {
      return [device, ScreenRun("\(status.baud) baud")]
    }
    // This part comes first, since there may not be room for both.
    return [
      device, ScreenRun("sender at \(status.senderBaud) baud", .alarm),
      ScreenRun(" · \(status.baud) baud"),
    ]
  }

  func clients(_ status: LiveStatus) -> ScreenRun {
    switch status.clients {
    case 0: ScreenRun("no program", .faint)
    case 1: ScreenRun("1 program")
    default: ScreenRun(ScreenText.grouped(status.clients, "program"), .warning)
    }
  }

  func recording(_ status: LiveStatus) -> [ScreenRun] {
    guard let path = status.recording else { return [] }
    // There is seldom room for the folders.
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return recordingMark(status) + [ScreenRun(" \(name)")]
  }

  /// The recording or the keys. A recorded session cannot be rewound, so there is at most one.
  func aside(_ status: LiveStatus) -> [ScreenRun] {
    let recording = recording(status)
    return recording.isEmpty ? status.keys.map { [ScreenRun($0, .faint)] } ?? [] : recording
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
