/// A scale and a shift for each axis, as used by crops and views.
///
/// A point is mapped by its distance from the middle, so that the middle is mapped to the middle
/// exactly. If an angle is truncated to whole degrees, the last bit matters. A box is mapped by its
/// corner and its size, so that an identity mapping does not change a single bit.
struct Scaling: Hashable, Sendable {
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

  /// Maps the largest square at the centre of a picture to that picture, both normalized.
  /// `picture`: the size of the upright picture in pixels, within `Size.range`.
  static func square(of picture: Size) -> Scaling {
    let side = min(picture.width, picture.height)
    return Scaling(
      x: side / picture.width, y: side / picture.height,
      left: (picture.width - side) / 2 / picture.width,
      low: (picture.height - side) / 2 / picture.height, middle: Point(0.5, 0.5))
  }
}

/// The turn that makes a camera's buffer upright: `right` is a quarter turn clockwise, `left` one
/// counterclockwise.
public enum Turning: String, Hashable, Sendable, CaseIterable {
  case up, right, down, left

  /// A quarter turn swaps width and height.
  public func apply(_ size: Size) -> Size {
    switch self {
    case .up, .down: size
    case .right, .left: Size(size.height, size.width)
    }
  }
}

/// Maps a picture (normalized, origin at the lower left, y up) to the view that displays it
/// (points, origin at the upper left, y down). A box is always given by its corner with the least x
/// and y, so the lower left corner becomes the upper left one.
struct ViewMapping: Hashable, Sendable {
  private let scaling: Scaling

  /// `picture` in pixels, `view` in points, both within `Size.range`.
  init(_ gravity: Gravity, picture: Size, view: Size) {
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

  func apply(_ point: Point) -> Point { scaling.apply(Point(point.x, 1 - point.y)) }

  func apply(_ box: Box) -> Box { scaling.apply(Box(box.x, 1 - box.maxY, box.width, box.height)) }
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
