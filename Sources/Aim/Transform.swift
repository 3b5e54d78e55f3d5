/// A mapping between two coordinate systems with parallel axes, and its inverse. `undo` reverses
/// `apply` and vice versa, up to rounding (below 1e-9 for coordinates in and near the picture). A
/// box is mapped by its corner and its size, so that an identity mapping does not change a single
/// bit.
public protocol Transform: Hashable, Sendable {
  func apply(_ point: Point) -> Point
  func apply(_ box: Box) -> Box
  func undo(_ point: Point) -> Point
  func undo(_ box: Box) -> Box
}

/// A scale and a shift for each axis, as used by crops, views and the boxes of faces.
///
/// A point is mapped by its distance from the middle, so that the middle is mapped to the middle
/// exactly. If an angle is truncated to whole degrees, the last bit matters.
struct Scaling: Transform {
  /// Scale.
  let x: Double
  let y: Double
  /// The position of the corner after scaling.
  let left: Double
  let low: Double
  /// The point to which (0.5, 0.5) is mapped.
  let middle: Point

  func apply(_ point: Point) -> Point {
    Point(
      left == 0 ? point.x * x : middle.x + (point.x - 0.5) * x,
      low == 0 ? point.y * y : middle.y + (point.y - 0.5) * y)
  }

  func apply(_ box: Box) -> Box {
    Box(box.x * x + left, box.y * y + low, box.width * x, box.height * y)
  }

  func undo(_ point: Point) -> Point {
    Point(
      left == 0 ? point.x / x : (point.x - middle.x) / x + 0.5,
      low == 0 ? point.y / y : (point.y - middle.y) / y + 0.5)
  }

  func undo(_ box: Box) -> Box {
    Box((box.x - left) / x, (box.y - low) / y, box.width / x, box.height / y)
  }
}

/// Maps between a picture and the largest square at its centre, both normalized. `apply` maps the
/// picture to the square (outside 0...1 for the parts cut off), `undo` maps the square to the
/// picture.
public struct SquareCrop: Transform {
  private let toWhole: Scaling

  /// `picture`: the size of the upright picture in pixels, within `Size.range`.
  public init(of picture: Size) {
    let side = min(picture.width, picture.height)
    toWhole = Scaling(
      x: side / picture.width, y: side / picture.height,
      left: (picture.width - side) / 2 / picture.width,
      low: (picture.height - side) / 2 / picture.height, middle: Point(0.5, 0.5))
  }

  public func apply(_ point: Point) -> Point { toWhole.undo(point) }
  public func apply(_ box: Box) -> Box { toWhole.undo(box) }
  public func undo(_ point: Point) -> Point { toWhole.apply(point) }
  public func undo(_ box: Box) -> Box { toWhole.apply(box) }
}

/// Swaps left and right in a picture if `isOn`; its own inverse. Coordinates are normalized.
public struct Mirroring: Transform {
  public var isOn: Bool

  public init(_ isOn: Bool = true) { self.isOn = isOn }

  public func apply(_ point: Point) -> Point {
    isOn ? Point(1 - point.x, point.y) : point
  }

  public func apply(_ box: Box) -> Box {
    isOn ? Box(1 - box.maxX, box.y, box.width, box.height) : box
  }

  public func undo(_ point: Point) -> Point { apply(point) }
  public func undo(_ box: Box) -> Box { apply(box) }
}

/// Maps coordinates normalized within a box, such as a face's landmarks, to those of the picture
/// that contains the box.
public struct WithinBox: Transform {
  private let scaling: Scaling

  /// `box` must have a positive size.
  public init(_ box: Box) {
    scaling = Scaling(x: box.width, y: box.height, left: box.x, low: box.y, middle: box.centre)
  }

  public func apply(_ point: Point) -> Point { scaling.apply(point) }
  public func apply(_ box: Box) -> Box { scaling.apply(box) }
  public func undo(_ point: Point) -> Point { scaling.undo(point) }
  public func undo(_ box: Box) -> Box { scaling.undo(box) }
}

/// The turn that makes a camera's buffer upright: `right` is a quarter turn clockwise, `left` one
/// counterclockwise. `apply` maps normalized coordinates from the buffer to the upright picture
/// (origin at the lower left in both).
public enum Turning: String, Transform, CaseIterable {
  case up, right, down, left

  /// The turn that reverses this one.
  public var inverse: Turning {
    switch self {
    case .up, .down: self
    case .right: .left
    case .left: .right
    }
  }

  public func apply(_ point: Point) -> Point {
    switch self {
    case .up: point
    case .right: Point(point.y, 1 - point.x)
    case .down: Point(1 - point.x, 1 - point.y)
    case .left: Point(1 - point.y, point.x)
    }
  }

  public func apply(_ box: Box) -> Box {
    switch self {
    case .up: box
    case .right: Box(box.y, 1 - box.maxX, box.height, box.width)
    case .down: Box(1 - box.maxX, 1 - box.maxY, box.width, box.height)
    case .left: Box(1 - box.maxY, box.x, box.height, box.width)
    }
  }

  /// A quarter turn swaps width and height.
  public func apply(_ size: Size) -> Size {
    switch self {
    case .up, .down: size
    case .right, .left: Size(size.height, size.width)
    }
  }

  public func undo(_ point: Point) -> Point { inverse.apply(point) }
  public func undo(_ box: Box) -> Box { inverse.apply(box) }
  public func undo(_ size: Size) -> Size { inverse.apply(size) }
}

/// Maps a picture (normalized, origin at the lower left, y up) to the view that displays it
/// (points, origin at the upper left, y down). A box is always given by its corner with the least x
/// and y, so the lower left corner becomes the upper left one.
public struct ViewMapping: Transform {
  private let scaling: Scaling

  /// `picture` in pixels, `view` in points, both within `Size.range`.
  public init(_ gravity: Gravity, picture: Size, view: Size) {
    let scale: Double
    let middle = Point(view.width / 2, view.height / 2)
    switch gravity {
    case .resize:
      scaling = Scaling(x: view.width, y: view.height, left: 0, low: 0, middle: middle)
      return
    case .aspectFill: scale = max(view.width / picture.width, view.height / picture.height)
    case .aspectFit: scale = min(view.width / picture.width, view.height / picture.height)
    }
    let width = picture.width * scale
    let height = picture.height * scale
    scaling = Scaling(
      x: width, y: height, left: (view.width - width) / 2, low: (view.height - height) / 2,
      middle: middle)
  }

  public func apply(_ point: Point) -> Point { scaling.apply(Point(point.x, 1 - point.y)) }

  public func apply(_ box: Box) -> Box {
    scaling.apply(Box(box.x, 1 - box.maxY, box.width, box.height))
  }

  public func undo(_ point: Point) -> Point {
    let flipped = scaling.undo(point)
    return Point(flipped.x, 1 - flipped.y)
  }

  public func undo(_ box: Box) -> Box {
    let flipped = scaling.undo(box)
    return Box(flipped.x, 1 - flipped.maxY, flipped.width, flipped.height)
  }
}

/// How a picture fills a view of another shape.
public enum Gravity: String, Hashable, Sendable, CaseIterable {
  /// Scales each axis separately: everything is visible but distorted. The face-tracking app uses
  /// this.
  case resize
  /// Scales both axes equally to fill the view, centred; anything outside the view is cut off.
  case aspectFill = "aspect-fill"
  /// Scales both axes equally to show everything, centred, with empty bands.
  case aspectFit = "aspect-fit"
}
