package import Sketches

/// The appearance of a byte's fate: a class for the colour, a shape and a word, since colour alone
/// is not accessible.
extension Fate {
  /// Its class in the picture's style sheet.
  package var styleClass: String {
    switch self {
    // They look like bytes that a model took.
    case .taken, .arrived: Fate.letter.styleClass
    default: "f-\(rawValue)"
    }
  }

  /// Whether the byte had the effect for which it was sent.
  var isTaken: Bool {
    switch self {
    case .letter, .digit, .terminator, .taken, .arrived: true
    default: false
    }
  }

  /// Whether the byte never reached the sketch.
  var isLost: Bool {
    switch self {
    case .ringFull, .uartOverrun, .parity, .booting, .cleared, .wireLost, .adapterLost: true
    default: false
    }
  }

  var caption: String {
    switch self {
    case .letter, .digit, .terminator, .taken: "taken"
    case .swallowed: "swallowed"
    case .skipped: "skipped"
    case .junk: "junk"
    case .purged: "purged"
    case .abandoned: "abandoned"
    case .ringFull: "lost: buffer full"
    case .uartOverrun: "lost: UART full"
    case .parity: "lost: parity"
    case .booting: "lost: booting"
    case .cleared: "lost: reset"
    case .wireLost: "lost: wire"
    case .adapterLost: "lost: adapter"
    case .waiting: "not yet taken"
    case .arrived: "arrived"
    }
  }

  /// The shape on top of the byte's tick.
  var marker: Marker {
    switch self {
    case .letter, .digit, .terminator, .taken, .arrived: .none
    case .swallowed: .diamond
    case .skipped: .hollowDiamond
    case .junk: .triangle
    case .purged: .hollowTriangle
    case .abandoned: .circle
    case .waiting: .hollowCircle
    case .ringFull, .parity, .booting, .wireLost: .cross
    case .uartOverrun, .adapterLost: .plus
    case .cleared: .square
    }
  }
}

/// A small shape that distinguishes fates without colour.
enum Marker: Hashable {
  case none, diamond, hollowDiamond, triangle, hollowTriangle, circle, hollowCircle, cross, plus
  case square

  /// The style class for a filled or a hollow shape.
  var styleClass: String {
    switch self {
    case .none, .diamond, .triangle, .circle, .square: "mark solid"
    case .hollowDiamond, .hollowTriangle, .hollowCircle, .cross, .plus: "mark open"
    }
  }

  func draw(at x: Double, _ y: Double, in path: inout PathData) {
    let r = 3.6
    switch self {
    case .none: break
    case .diamond, .hollowDiamond:
      polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], in: &path)
    case .triangle, .hollowTriangle:
      polygon([(x - r, y - r + 0.8), (x + r, y - r + 0.8), (x, y + r)], in: &path)
    case .square:
      polygon([(x - 3, y - 3), (x + 3, y - 3), (x + 3, y + 3), (x - 3, y + 3)], in: &path)
    case .circle, .hollowCircle:
      let a = r * 0.71
      let around: [(x: Double, y: Double)] = [
        (x, y - r), (x + a, y - a), (x + r, y), (x + a, y + a), (x, y + r), (x - a, y + a),
        (x - r, y), (x - a, y - a),
      ]
      polygon(around, in: &path)
    case .cross:
      path.move(x - 3, y - 3)
      path.line(x + 3, y + 3)
      path.move(x - 3, y + 3)
      path.line(x + 3, y - 3)
    case .plus:
      path.move(x - r, y)
      path.line(x + r, y)
      path.move(x, y - r)
      path.line(x, y + r)
    }
  }

  private func polygon(_ points: [(x: Double, y: Double)], in path: inout PathData) {
    path.move(points[0].x, points[0].y)
    for point in points.dropFirst() { path.line(point.x, point.y) }
    path.close()
  }
}
