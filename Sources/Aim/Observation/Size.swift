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
