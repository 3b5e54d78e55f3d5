/// The `d` of an SVG path, in tenths of a pixel.
struct PathData {
  private(set) var text = ""

  var isEmpty: Bool { text.isEmpty }

  mutating func move(_ x: Double, _ y: Double) { text += "M\(short(x)) \(short(y))" }
  mutating func line(_ x: Double, _ y: Double) { text += "L\(short(x)) \(short(y))" }
  mutating func across(to x: Double) { text += "H\(short(x))" }
  mutating func upright(to y: Double) { text += "V\(short(y))" }
  mutating func close() { text += "Z" }

  /// Adds a dot, which is visible if the line has round ends.
  mutating func dot(_ x: Double, _ y: Double) {
    move(x, y)
    text += "h0"
  }

  private func short(_ value: Double) -> String { XMLText.number(value, places: 1) }
}
