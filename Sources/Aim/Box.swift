/// An upright rectangle: its corner with the least x and y, and its size. In a picture that is the
/// lower left corner, normalized to 0...1, y up; in a view the upper left one, in points, y down.
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

  /// The whole picture.
  public static let unit = Box(0, 0, 1, 1)

  public var maxX: Double { x + width }
  public var maxY: Double { y + height }
  public var area: Double { width * height }

  /// The middle: the corner plus half of the size, in this order of arithmetic.
  public var centre: Point { Point(x + width / 2, y + height / 2) }

  /// Whether no number is NaN or infinite.
  public var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }

  /// Whether a detector can have seen this: the box has an area, part of it is within the picture,
  /// 0...1, and no part of it is further away than the picture is wide or high. A detector can see
  /// a face across the edge.
  public var isPlausible: Bool {
    guard isFinite, width > 0, height > 0, area > 0 else { return false }
    let touches = x < 1 && maxX > 0 && y < 1 && maxY > 0
    return touches && x >= -1 && y >= -1 && maxX <= 2 && maxY <= 2
  }

  /// Intersection over union, 0...1. Returns 0 for boxes that only touch, and if it is undefined
  /// (no area, numbers that are not finite).
  public func overlap(with other: Box) -> Double {
    let width = min(maxX, other.maxX) - max(x, other.x)
    let height = min(maxY, other.maxY) - max(y, other.y)
    guard width > 0, height > 0 else { return 0 }
    let common = width * height
    let share = common / (area + other.area - common)
    return share.isFinite && share > 0 ? min(share, 1) : 0
  }

  /// The smallest box that contains both.
  public func union(_ other: Box) -> Box {
    let left = min(x, other.x)
    let low = min(y, other.y)
    return Box(left, low, max(maxX, other.maxX) - left, max(maxY, other.maxY) - low)
  }
}

/// A point in a picture (normalized to 0...1, origin at the lower left, y up) or in a view (points,
/// origin at the upper left, y down), depending on the context.
public struct Point: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  public var isFinite: Bool { x.isFinite && y.isFinite }
}

/// Width and height: of a picture in pixels, of a view in points.
public struct Size: Hashable, Sendable {
  public var width: Double
  public var height: Double

  public init(_ width: Double, _ height: Double) {
    self.width = width
    self.height = height
  }

  /// The valid range of both. No picture or view is outside it, and beyond it arithmetic is not
  /// exact.
  public static let range = 1.0...1e6

  public var isUsable: Bool { Self.range.contains(width) && Self.range.contains(height) }
}
