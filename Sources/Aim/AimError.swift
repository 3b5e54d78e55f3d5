/// Why something can't be set up. What comes in a frame is never an error: see `SoundFilter`.
public enum AimError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A width or height out of `Size.range`.
  case badSize(String)
  /// Not above 0 and below 180 degrees.
  case badFieldOfView(Double)
  /// The true angle is asked for, and the camera's field of view is not known.
  case noFieldOfView
  /// An option out of its range: its name, the range.
  case outOfRange(String, String)
  /// The sample of this index, from 0, is out of its ranges.
  case badSample(Int)
  /// Fewer than two samples of different shares.
  case tooFewSamples
  /// By the samples what is further away is not smaller.
  case notADistance

  public var description: String {
    switch self {
    case .badSize(let what): "the \(what)'s width and height must be 1 to 1000000"
    case .badFieldOfView(let fov):
      "a field of view is above 0 and below 180 degrees, not \(fov)"
    case .noFieldOfView: "the true angle needs the camera's field of view"
    case .outOfRange(let option, let range): "\(option) must be \(range)"
    case .badSample(let index):
      "sample \(index + 1): the share is above 0 and at most 1, the distance above 0"
    case .tooFewSamples: "a distance needs at least two samples of different shares"
    case .notADistance: "by the samples a target that is further away is not smaller"
    }
  }
}
