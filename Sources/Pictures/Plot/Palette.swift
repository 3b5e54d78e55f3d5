import Turret

/// The colours of a picture on a light or a dark background. The hues are Okabe and Ito's, which
/// can be distinguished with any colour vision, made darker or lighter until text in them is
/// legible.
struct Palette {
  var background: String
  var panel: String
  var ink: String
  var muted: String
  var grid: String
  var axis: String
  var commanded: String
  var pulse: String
  var shaft: String
  var divergence: String
  /// Swallowed and skipped bytes.
  var eaten: String
  /// Junk, and bytes that a purge discarded.
  var purged: String
  var abandoned: String
  var lost: String
  var rising: String
  var falling: String
  var tone: String
  /// The other servos, in the order of their pins.
  var servos: [String]

  static let light = Palette(
    background: "#ffffff", panel: "#fafbfc", ink: "#1b2430", muted: "#5b6675", grid: "#e3e8ee",
    axis: "#aab4c0", commanded: "#0067b1", pulse: "#1b2430", shaft: "#e69200",
    divergence: "#c8102e", eaten: "#b84a00", purged: "#9b3f86", abandoned: "#7a6200",
    lost: "#c8102e", rising: "#56b4e9", falling: "#009e73", tone: "#008060",
    servos: ["#9b3f86", "#008060", "#7a6200", "#b84a00"])

  static let dark = Palette(
    background: "#0d1117", panel: "#11171f", ink: "#e8edf3", muted: "#98a4b3", grid: "#222b36",
    axis: "#465362", commanded: "#62b8f5", pulse: "#e8edf3", shaft: "#f5ab35",
    divergence: "#ff6b6b", eaten: "#ff9a57", purged: "#e092cc", abandoned: "#d8c04a",
    lost: "#ff6b6b", rising: "#56b4e9", falling: "#1fc998", tone: "#3ddbb0",
    servos: ["#e092cc", "#3ddbb0", "#d8c04a", "#ff9a57"])

  func color(of fate: Fate) -> String {
    switch fate {
    case .letter, .digit, .terminator, .taken, .arrived: ink
    case .swallowed, .skipped: eaten
    case .junk, .purged: purged
    case .abandoned: abandoned
    case .ringFull, .uartOverrun, .booting, .cleared: lost
    case .waiting: muted
    }
  }

  func color(of mode: ModeBand) -> String {
    switch mode {
    case .startingUp: muted
    case .idle: "none"
    case .scanningUp: rising
    case .scanningDown: falling
    case .readingNumber: eaten
    case .purging: purged
    case .sounding: tone
    }
  }
}
