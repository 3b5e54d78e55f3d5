/// Why the chain cannot be set up. Invalid data in a frame is never an error: see `SoundFilter`.
public enum AimError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The width or height is outside `Size.range`.
  case badSize(String)
  /// The field of view is not between 0 and 180 degrees.
  case badFieldOfView(Double)
  /// The mapping `fov` is selected, but the camera's field of view is not known.
  case noFieldOfView
  /// An option is out of range: its name, the range.
  case outOfRange(String, String)
  /// The sample with this index, from 0, is out of range.
  case badSample(Int)
  /// There are fewer than two samples with different shares.
  case tooFewSamples
  /// According to the samples, distant objects are not smaller.
  case notADistance

  public var description: String {
    switch self {
    case .badSize(let what): "the \(what)'s width and height must be 1 to 1000000"
    case .badFieldOfView(let fov):
      "a field of view must be above 0 and below 180 degrees, not \(fov)"
    case .noFieldOfView: "the true angle needs the camera's field of view"
    case .outOfRange(let option, let range): "\(option) must be \(range)"
    case .badSample(let index):
      "sample \(index + 1): the share must be above 0 and at most 1, and the distance above 0"
    case .tooFewSamples: "a distance needs at least two samples with different shares"
    case .notADistance: "according to the samples, a target that is further away is not smaller"
    }
  }
}
