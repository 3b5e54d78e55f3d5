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
