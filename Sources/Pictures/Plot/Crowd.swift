import Sketches
import Traces

/// Commands so close together that a picture cannot show each of them. Drawn one by one they would
/// look like one long command that the sketch never finishes.
struct Crowd: Hashable {
  /// The arrivals of the first letter and of the last byte.
  var start: Instant
  var end: Instant
  var commandCount: Int

  /// The maximum distance between two letters of a crowd, in pixels.
  private static let nearness = 5.0
  private static let commandCountMin = 4

  /// The name in the picture: `8 000 commands`.
  var name: String { Self.name(commandCount) }
  static func name(_ commandCount: Int) -> String { ScreenText.grouped(commandCount, "command") }
  /// A name that fits a narrow place.
  var shortName: String { ScreenText.grouped(commandCount) }

  /// Finds the crowds among bytes in order of arrival, except during `others`, periods in order.
  static func find(
    in entries: ArraySlice<Ledger.Entry>, outside others: [PlottedSession.Band], _ layout: Layout
  ) -> [Crowd] {
    var crowds: [Crowd] = []
    var last = -Double.infinity
    var others = others[...]
    func dropSmall() {
      if let last = crowds.last, last.commandCount < commandCountMin { crowds.removeLast() }
    }
    for entry in entries {
      while let other = others.first, other.end < entry.arrived { others.removeFirst() }
      if let other = others.first, other.start <= entry.arrived {
        last = -Double.infinity
        continue
      }
      let x = layout.x(entry.arrived)
      let isNear = x - last < nearness
      if entry.fate == .letter {
        last = x
        if !isNear {
          dropSmall()
          crowds.append(Crowd(start: entry.arrived, end: entry.arrived, commandCount: 0))
        }
        crowds[crowds.count - 1].commandCount += 1
      }
      if isNear { crowds[crowds.count - 1].end = entry.arrived }
    }
    dropSmall()
    return crowds
  }
}

extension PlottedSession.Band {
  /// The minimum width at which the rest of a band is shown, in pixels. The last command of a crowd
  /// takes a little longer than its last byte.
  private static let restMin = 3.0

  /// Returns what is left of the band outside the crowds, which are in order.
  func outside(_ crowds: [Crowd], _ layout: Layout) -> [PlottedSession.Band] {
    var pieces: [PlottedSession.Band] = []
    var rest = self
    for crowd in crowds where crowd.end > rest.start && crowd.start < rest.end {
      if rest.start < crowd.start { pieces.append(.init(rest.start, crowd.start, mode)) }
      rest.start = min(crowd.end, rest.end)
    }
    if rest == self { return [self] }
    if rest.start < rest.end { pieces.append(rest) }
    return pieces.filter { $0.width(in: layout) >= Self.restMin }
  }
}
