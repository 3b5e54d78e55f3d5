/// The distance as a function of the share of the frame's area: `slope / share.squareRoot() +
/// offset`, fitted by least squares of the distances.
///
/// For a pinhole camera, a length in the picture is proportional to the reciprocal of the distance,
/// and an area to its square. The distance is therefore linear in the reciprocal of the root of the
/// share. The offset accounts for the point on the robot from which the user measures.
public struct DistanceRegression: Hashable, Sendable {
  public let slope: Double
  public let offset: Double

  public init(slope: Double, offset: Double) {
    self.slope = slope
    self.offset = offset
  }

  /// `samples` must have at least two different shares, and each must be in range.
  public init(fitting samples: [DistanceSample]) throws(AimError) {
    for (index, sample) in samples.enumerated() {
      guard sample.share > 0, sample.share <= 1, sample.distance > 0, sample.distance.isFinite
      else { throw .badSample(index) }
    }
    let places = samples.map { 1 / $0.share.squareRoot() }
    guard let first = places.first, places.contains(where: { $0 != first })
    else { throw .tooFewSamples }
    let count = Double(samples.count)
    let place = places.reduce(0, +) / count
    let distance = samples.map { $0.distance }.reduce(0, +) / count
    var both = 0.0
    var squares = 0.0
    for (sample, at) in zip(samples, places) {
      both += (at - place) * (sample.distance - distance)
      squares += (at - place) * (at - place)
    }
    slope = both / squares
    offset = distance - slope * place
    guard slope.isFinite, offset.isFinite, slope > 0 else { throw .notADistance }
  }

  /// The distance in the samples' unit, never below 0; nil if the share is not above 0 and at most
  /// 1.
  public func distance(share: Double) -> Double? {
    guard share > 0, share <= 1 else { return nil }
    let distance = slope / share.squareRoot() + offset
    return distance.isFinite ? max(distance, 0) : nil
  }
}

/// A measurement for `DistanceRegression`: at this distance the target took up this share of the
/// frame.
public struct DistanceSample: Hashable, Sendable {
  /// The share of the frame's area, above 0, at most 1.
  public var share: Double
  /// The distance, above 0, in the unit in which distances are to be returned.
  public var distance: Double

  public init(share: Double, distance: Double) {
    self.share = share
    self.distance = distance
  }
}
