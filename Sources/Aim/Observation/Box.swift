/// An upright rectangle by its corner of least x and y and its size. In a picture that is the lower
/// left corner, all normalized 0...1, y up; in a view the upper left one, in points, y down.
public struct Box: Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The whole of a picture.
  public static let unit = Box(0, 0, 1, 1)

  public var maxX: Double { x + width }
  public var maxY: Double { y + height }
  public var area: Double { width * height }

  /// The middle: half of the size is added to the corner, in this order of arithmetic.
  public var centre: Point { Point(x + width / 2, y + height / 2) }

  /// No NaN, no infinity.
  public var isFinite: Bool {
    x.isFinite && y.isFinite && width.isFinite && height.isFinite
  }

  /// The part within `bounds`; nil if there is none, if this box has no area, a negative size or a
  /// number that is not finite. A box that is wholly within comes back unchanged to the last bit.
  public func clipped(to bounds: Box = .unit) -> Box? {
    guard isFinite, width > 0, height > 0 else { return nil }
    var part = self
    if x < bounds.x || maxX > bounds.maxX {
      part.x = max(x, bounds.x)
      part.width = min(maxX, bounds.maxX) - part.x
    }
    if y < bounds.y || maxY > bounds.maxY {
      part.y = max(y, bounds.y)
      part.height = min(maxY, bounds.maxY) - part.y
    }
    return part.width > 0 && part.height > 0 && part.area > 0 ? part : nil
  }

  /// Intersection over union, 0...1; 0 for boxes that only touch, and where it has no meaning
  /// (no area, numbers that are not finite).
  public func overlap(with other: Box) -> Double {
    let width = min(maxX, other.maxX) - max(x, other.x)
    let height = min(maxY, other.maxY) - max(y, other.y)
    guard width > 0, height > 0 else { return 0 }
    let common = width * height
    let share = common / (area + other.area - common)
    return share.isFinite && share > 0 ? min(share, 1) : 0
  }

  /// The least box around both.
  public func union(_ other: Box) -> Box {
    let left = min(x, other.x)
    let low = min(y, other.y)
    return Box(left, low, max(maxX, other.maxX) - left, max(maxY, other.maxY) - low)
  }
}
