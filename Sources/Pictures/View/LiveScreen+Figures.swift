import Devices
import Sketches
import Traces

extension LiveDrawing {
  private static let labelColumns = 9
  /// The number of lines for other servos that there are even where there is little room.
  private static let otherRowsMin = 5
  /// The number of other lines, without blank ones.
  private static let rowsMin = 10

  /// The number of lines without blank ones, where there is little room.
  var figureRows: Int { Self.rowsMin + pinRows + min(status.others.count, Self.otherRowsMin) }

  /// The number of lines, without blank ones, if every servo has one.
  var allFigureRows: Int { Self.rowsMin + pinRows + status.others.count }

  private var pinRows: Int { status.pins.isEmpty ? 0 : 1 }

  /// Draws the sketch's activity, the angles and the bytes, one line each.
  mutating func drawFigures(in area: ScreenArea) {
    let counts = status.counts
    let pulse = status.commandedMicroseconds.map { "   \($0) us" } ?? ""
    let buffer = counts.waitingInRing.map { ", \($0) in buffer" } ?? ""
    let dropped = counts.transmitDropped
    let room = max(Self.otherRowsMin, area.rows - Self.rowsMin - pinRows)
    // The last line says how many have none.
    let shown = status.others.count > room ? room - 1 : status.others.count
    var others = status.others.prefix(shown).map { servo in
      figure(
        shortLabel(of: servo),
        [
          ScreenRun(
            "\(servo.commandedDegrees)\(glyphs.degrees)   \(servo.commandedMicroseconds) us",
            .commanded),
          ScreenRun(
            "   \(ScreenText.fixed(servo.shaftDegrees, places: 1))\(glyphs.degrees)", .shaft),
        ])
    }
    if status.others.count > shown {
      let count = status.others.count - shown
      let note = "+\(String(counting: count, "servo")) not shown"
      others.append(figure("", [ScreenRun(note, .faint)]))
    }
    let angles: [[ScreenRun]] = [
      figure("commanded", [ScreenRun(commanded + pulse, .commanded)]),
      figure("shaft", [ScreenRun(shaft, .shaft)]),
      figure("tone", [tone]),
    ]
    let bytes: [[ScreenRun]] = [
      figure("received", [ScreenRun(ScreenText.grouped(counts.received, "byte"))]),
      figure("commands", [counts.commands.map { ScreenRun(ScreenText.grouped($0)) } ?? unseen]),
      figure(
        "waiting",
        [ScreenRun(ScreenText.grouped(counts.waitingOnLine) + " on line" + buffer)]),
      figure("lost", lostInFull),
      figure(
        "answered",
        [ScreenRun(ScreenText.grouped(counts.transmitted, "byte"))]
          + (dropped == 0
            ? [] : [ScreenRun(", \(ScreenText.grouped(dropped)) dropped", .warning)])),
    ]
    let pins = status.pins.isEmpty ? [] : [figure("pins", status.pins.map(lamp))]
    var lines = [mode] + angles + others + pins + bytes
    if let late = status.lateness, late.count > 0 {
      lines.append(figure("delay", [lateness(late)]))
    }
    if let behind = status.shownBehind {
      let seconds = String(shortest: behind)
      lines.append(figure("behind", [ScreenRun("\(seconds) s: slower than real time", .warning)]))
    }
    // Add blank lines between the groups if there is room.
    var spare = area.rows - lines.count
    for gap in [1, 5 + others.count + pins.count, 0] where spare > 0 {
      lines.insert([], at: gap)
      spare -= 1
    }
    for (index, line) in lines.enumerated() { canvas.put(line, in: area, line: index) }
  }

  /// The servo's label, or its pin if there is no room for more.
  private func shortLabel(of servo: ServoStatus) -> String {
    let label = status.label(ofServoOn: servo.pin)
    return label.unicodeScalars.count <= Self.labelColumns ? label : servo.pin.name
  }

  private func lamp(_ pin: LivePin) -> ScreenRun {
    let name = status.profile?.pins.first { $0.pin == pin.pin }?.name ?? pin.pin.name
    return ScreenRun((pin.isHigh ? "●" : "·") + name + "  ", pin.isHigh ? .strong : .faint)
  }

  private var unseen: ScreenRun { ScreenRun("unknown", .faint) }

  private func figure(_ label: String, _ value: [ScreenRun]) -> [ScreenRun] {
    [ScreenRun(ScreenText.padded(label, to: Self.labelColumns) + " ", .faint)] + value
  }

  // MARK: -

  var mode: [ScreenRun] {
    guard let activity = status.activity else {
      return [ScreenRun("the sketch's mode is unknown", .faint)]
    }
    return switch activity {
    // The angle is shown next to it and already changes often enough.
    case .scanning(_, let rising):
      [ScreenRun("sweeping ", .strong), ScreenRun(rising ? "up ↑" : "down ↓", .strong)]
    case .purging: [ScreenRun(activity.description, .warning)]
    case .idle, .readingNumber, .aiming:
      [ScreenRun(status.isFollowing ? "following aims" : activity.description, .strong)]
    case .startingUp, .sounding: [ScreenRun(activity.description, .strong)]
    }
  }

  var commanded: String { status.commandedDegrees.map { "\($0)\(glyphs.degrees)" } ?? "not yet" }

  var shaft: String {
    status.shaftDegrees.map { ScreenText.fixed($0, places: 1) + glyphs.degrees } ?? "unknown"
  }

  private var tone: ScreenRun {
    guard let hertz = status.toneHertz else { return ScreenRun("silent", .faint) }
    return ScreenRun("\(ScreenText.fixed(hertz, places: 0)) Hz", .strong)
  }

  var lost: [ScreenRun] {
    let total = status.counts.lost.values.reduce(0, +)
    return total == 0
      ? [ScreenRun("none lost", .faint)] : [ScreenRun("\(ScreenText.grouped(total)) lost", .alarm)]
  }

  /// The number of lost bytes for each cause, largest first.
  private var lostInFull: [ScreenRun] {
    let causes = Output.Loss.allCases.map { ($0, status.counts.lost[$0] ?? 0) }
      .filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
    guard !causes.isEmpty else { return [ScreenRun("none", .faint)] }
    let words = causes.map { loss, count in
      switch loss {
      case .ringFull: "\(ScreenText.grouped(count)) buffer full"
      case .uartOverrun: "\(ScreenText.grouped(count)) UART full"
      case .parity: "\(ScreenText.grouped(count)) parity"
      case .booting: "\(ScreenText.grouped(count)) booting"
      }
    }
    return [ScreenRun(words.joined(separator: ", "), .alarm)]
  }

  private func lateness(_ late: LiveStatus.Lateness) -> ScreenRun {
    let figures = [late.median, late.worst].map(ScreenText.milliseconds)
    return ScreenRun("\(figures[0]) ms, at most \(figures[1])", .faint)
  }
}
