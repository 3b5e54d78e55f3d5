public import Aim

/// How a camera's buffer becomes the picture that the preview shows, for a phone held upright.
///
/// The buffers of both cameras lie on their side. The preview mirrors the front camera, so the
/// detector gets a mirror image as well: the boxes then match the preview without further changes,
/// and `Aim` computes the angle in the world from `mirrored`.
public struct Mounting: Hashable, Sendable {
  /// The orientation as a number of the EXIF standard, which `CGImagePropertyOrientation` uses.
  public let exif: UInt32
  /// The turn without the mirror image.
  public let turning: Turning
  public let mirrored: Bool

  public init(_ side: CameraSide) {
    switch side {
    case .back: (exif, turning, mirrored) = (6, .right, false)
    case .front: (exif, turning, mirrored) = (5, .right, true)
    }
  }

  /// `image`: the buffer's size in pixels.
  public func camera(image: Size, view: Size, crop: Crop) -> Camera {
    Camera(image: image, orientation: turning, mirrored: mirrored, view: view, crop: crop)
  }
}
