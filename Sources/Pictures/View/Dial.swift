/// A half circle from 0 degrees on the left to 180. The hand is the shaft, a wedge outside the arc
/// is the commanded angle, and the highlighted arc between them is the remaining movement.
struct Dial {
  var commanded: Double?
  var shaft: Double?

  /// Columns beyond the radius for the labels at both ends of the arc.
  private static let margin = 15
  /// Dots above the arc for the wedge and the label at the top.
  private static let head = 9
  /// A dial with fewer rows is no more readable than a linear gauge.
  static let rowsMin = 8

  /// The number of columns that a dial with this many rows needs.
  static func columns(rows: Int) -> Int { rows * 4 - 3 - head + margin }
  /// The number of rows that a dial with this many columns can use.
  static func rows(columns: Int) -> Int { (columns - margin + head + 3) / 4 }

  func draw(on canvas: inout ScreenCanvas, in area: ScreenArea) {
    let painter = Painter(area)
    guard painter.radius >= 8 else { return }
    painter.scale(&canvas)
    if let commanded = valid(commanded) {
      if let shaft = valid(shaft) { painter.way(&canvas, from: shaft, to: commanded) }
      painter.wedge(&canvas, commanded)
    }
    if let shaft = valid(shaft) { painter.hand(&canvas, shaft) }
    painter.hub(&canvas)
  }

  private func valid(_ degrees: Double?) -> Double? {
    guard let degrees, degrees.isFinite else { return nil }
    return min(max(degrees, -20), 200)
  }

  /// The positions, in dots.
  private struct Painter {
    let area: ScreenArea
    let radius: Double
    private let centre: (x: Double, y: Double)

    init(_ area: ScreenArea) {
      self.area = area
      let hubY = area.rows * 4 - 3
      radius = Double(min(hubY - Dial.head, area.columns - Dial.margin))
      centre = (Double(area.columns), Double(hubY))
    }

    func scale(_ canvas: inout ScreenCanvas) {
      arc(&canvas, from: 0, to: 180, at: radius, .faint, ".")
      for degrees in stride(from: 0, through: 180, by: 10) {
        let length = degrees % 30 == 0 ? 4.0 : 2.0
        ray(&canvas, Double(degrees), from: radius - length, to: radius, .faint, ".")
      }
      for degrees in stride(from: 0, through: 180, by: 30) {
        let x = place(Double(degrees), at: radius + 9).x
        let y = place(Double(degrees), at: radius + 7).y
        let text = "\(degrees)"
        // Centred on its position; labels at the sides are moved outside the arc.
        let aside = cosine(Double(degrees))
        let outwards = aside / (abs(aside) + 0.15) * 1.5
        let column = x / 2 - Double(text.count) / 2 - outwards
        canvas.put(
          text, .faint, in: area, line: Int((y / 4 - 0.5).rounded()),
          at: max(0, Int(column.rounded())))
      }
    }

    func way(_ canvas: inout ScreenCanvas, from: Double, to: Double) {
      guard abs(from - to) >= 1 else { return }
      for offset in [0.0, 1] {
        arc(&canvas, from: min(from, to), to: max(from, to), at: radius + offset, .commanded, "=")
      }
    }

    func wedge(_ canvas: inout ScreenCanvas, _ degrees: Double) {
      for step in 0...8 {
        let out = Double(step) / 2
        let half = out * 0.5
        for side in stride(from: -half, through: half, by: 0.5) {
          point(&canvas, degrees, at: radius + 1 + out, aside: side, .commanded, "*")
        }
      }
    }

    func hand(_ canvas: inout ScreenCanvas, _ degrees: Double) {
      for side in [-0.5, 0.5] {
        var distance = 0.0
        while distance <= radius - 6 {
          point(&canvas, degrees, at: distance, aside: side, .shaft, "o")
          distance += 0.5
        }
      }
    }

    func hub(_ canvas: inout ScreenCanvas) {
      for x in -2...2 {
        for y in -2...2 where x * x + y * y <= 5 {
          canvas.dot(x: Int(centre.x) + x, y: Int(centre.y) + y, .shaft, mark: "O", in: area)
        }
      }
    }

    private func arc(
      _ canvas: inout ScreenCanvas, from: Double, to: Double, at distance: Double,
      _ style: ScreenStyle, _ mark: Unicode.Scalar
    ) {
      // A step of two thirds of a dot leaves no gaps.
      let step = 40 / distance
      var degrees = from
      while degrees < to {
        point(&canvas, degrees, at: distance, aside: 0, style, mark)
        degrees += step
      }
      point(&canvas, to, at: distance, aside: 0, style, mark)
    }

    private func ray(
      _ canvas: inout ScreenCanvas, _ degrees: Double, from: Double, to: Double,
      _ style: ScreenStyle, _ mark: Unicode.Scalar
    ) {
      for distance in stride(from: from, through: to, by: 0.7) {
        point(&canvas, degrees, at: distance, aside: 0, style, mark)
      }
    }

    private func point(
      _ canvas: inout ScreenCanvas, _ degrees: Double, at distance: Double, aside: Double,
      _ style: ScreenStyle, _ mark: Unicode.Scalar
    ) {
      let (x, y) = place(degrees, at: distance)
      let along = (x: -cosine(degrees), y: -sine(degrees))
      canvas.dot(
        x: Int((x - along.y * aside).rounded()), y: Int((y + along.x * aside).rounded()), style,
        mark: mark, in: area)
    }

    /// 0 degrees is on the left, and y increases downwards.
    private func place(_ degrees: Double, at distance: Double) -> (x: Double, y: Double) {
      (centre.x - cosine(degrees) * distance, centre.y - sine(degrees) * distance)
    }

    private func cosine(_ degrees: Double) -> Double {
      Self.sine(near: (.pi / 2 - degrees * .pi / 180) + Self.halfPiRest)
    }
    private func sine(_ degrees: Double) -> Double {
      let angle = degrees * .pi / 180
      return Self.sine(near: angle > .pi / 2 ? (.pi - angle) + 2 * Self.halfPiRest : angle)
    }

    /// What `Double.pi / 2` lacks of a quarter turn.
    private static let halfPiRest = 6.123_233_995_736_766e-17

    /// The sine of an angle in radians, at most a half turn, by its power series: the C library is
    /// not available in a page.
    private static func sine(near angle: Double) -> Double {
      var (sum, term) = (0.0, angle)
      for order in stride(from: 2.0, through: 32, by: 2) {
        sum += term
        term *= -angle * angle / (order * (order + 1))
      }
      return sum
    }
  }
}
