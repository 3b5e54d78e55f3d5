/// Width and height: of a picture in pixels, of a view in points.
public struct Size: Hashable, Sendable {
  public var width: Double
  public var height: Double

  public init(_ width: Double, _ height: Double) {
    self.width = width
    self.height = height
  }

  /// Both finite and above zero: only then can something be mapped to it.
  public var isUsable: Bool { width > 0 && height > 0 && width.isFinite && height.isFinite }
}
