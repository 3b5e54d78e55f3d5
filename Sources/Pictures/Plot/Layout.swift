import Turret

/// The positions in a picture, in pixels.
struct Layout {
  static let width = 1_000.0
  static let height = 520.0

  let left = 62.0
  let right = 932.0
  let titleLine = 36.0
  let subtitleLine = 58.0
  let strip = (top: 74.0, bottom: 91.0)
  let panel = (top: 91.0, bottom: 348.0)
  let lane = (top: 358.0, bottom: 447.0)
  /// The baselines of the callouts, above the bytes' ticks.
  let calloutLine = 370.0
  let tick = (top: 380.0, bottom: 397.0)
  /// The baselines of the bytes' words.
  let wordLines = [411.0, 424.5, 438.0]
  let axisLine = 464.0
  let legendLine = 499.0

  /// Maps seconds to x.
  let time: Scale
  /// Maps degrees to y. The range is slightly extended, so that a line along its edge is visible.
  let angle: Scale

  init(end: Instant) {
    // Even an empty session has an axis.
    time = Scale(0...max(end.seconds, 1e-6), from: left, to: right)
    angle = Scale(-5...187, from: panel.bottom, to: panel.top)
  }

  func x(_ instant: Instant) -> Double { time(instant.seconds) }
}
