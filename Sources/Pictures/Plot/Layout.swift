import Turret

/// Where things are in a picture, pixels.
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
  /// The small texts over the bytes' ticks.
  let calloutLine = 370.0
  let tick = (top: 380.0, bottom: 397.0)
  /// The lines of the bytes' words.
  let wordLines = [411.0, 424.5, 438.0]
  let axisLine = 464.0
  let legendLine = 499.0

  /// Seconds to x.
  let time: Scale
  /// Degrees to y. A little more than the range, so that a line along its edge is seen.
  let angle: Scale

  init(end: Instant) {
    // An empty session has an axis too.
    time = Scale(0...max(end.seconds, 1e-6), from: left, to: right)
    angle = Scale(-5...187, from: panel.bottom, to: panel.top)
  }

  func x(_ instant: Instant) -> Double { time(instant.seconds) }
}
