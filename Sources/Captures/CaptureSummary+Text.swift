import Traces
import Turret

extension Capture {
  /// Returns what was found and assumed: sentences without the file's name. `option` names the
  /// board's sketch.
  package func sentences(naming option: String = "--firmware") -> [String] {
    let firmware = header.firmware(unless: nil).rawValue
    let basis =
      summary.answersAsGuarded
      ? "the board answers as \(firmware) does, so its sketch counts as \(firmware)"
      : "the board's sketch is assumed to be \(firmware)"
    return summary.sentences + ["\(basis); \(option) names another"]
  }
}

extension CaptureSummary {
  /// The kind and the length.
  package var title: String { "\(kind.name), \(String(readable: duration)) long" }

  fileprivate var sentences: [String] {
    var parts = channels.compactMap { $0.role == nil ? nil : $0.sentence }
    if parts.isEmpty { parts = ["no channel is used"] }
    var lines = ["\(title); " + parts.joined(separator: "; ")]
    let found = [
      framingErrors > 0 ? String(counting: framingErrors, "framing error") : nil,
      Self.counting(glitches: glitches),
      holes > 0 ? String(counting: holes, "hole") : nil,
    ].compactMap { $0 }
    if !found.isEmpty { lines.append(found.joined(separator: ", ")) }
    if let exactness { lines.append(exactness) }
    return lines + notes
  }

  private static func counting(glitches: Int) -> String? {
    switch glitches {
    case 0: nil
    case 1: "1 glitch"
    default: "\(glitches) glitches"
    }
  }

  private var exactness: String? {
    guard let resolution else { return nil }
    let grain = "times are in steps of \(String(readable: resolution))"
    guard let uncertainty else { return grain }
    return grain + ", and a byte's time can be off by \(String(readable: uncertainty))"
  }
}

extension CaptureSummary.Channel {
  /// `rx is D0, 9600 baud, 22 bytes`
  fileprivate var sentence: String {
    var parts = ["\(role ?? "unused") is \(PlainText.quoted(name))"]
    if let baud { parts.append("\(baud) baud") }
    if isInverted { parts.append("inverted") }
    return (parts + counts).joined(separator: ", ")
  }
}
