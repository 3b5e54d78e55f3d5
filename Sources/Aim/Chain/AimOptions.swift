/// What a user can choose for the chain. The defaults are those of the face-tracking app.
public struct AimOptions: Hashable, Sendable {
  /// How a place becomes an angle.
  public var mapping: Mapping = .linear
  /// Turns the turret the other way round: `|degrees - 180|`.
  public var mirror = false
  /// How the picture fills the view.
  public var gravity: Gravity = .resize
  /// Drops what is less confident, 0...1.
  public var minConfidence = 0.0
  /// Drops the weaker of two that overlap more, 0...1; nil drops none.
  public var maxOverlap: Double?
  /// Aims only at what has this label.
  public var label: String?
  /// Aims only while this label is so confident.
  public var require: Gate?
  /// Stays with a target until another is more than so many times as big, at least 1.
  public var stick: Double?
  /// The view's size, points; nil is the camera's.
  public var view: Size?
  /// Share of the picture's height that a box has at least, 0...1.
  public var leastHeight = 0.0
  /// Width over height of a box, pixels.
  public var ratio: ClosedRange<Double>?
  /// Aims only at pairs of strips, instead of single things.
  public var strips: StripPairing?
  /// For the distance of a target.
  public var distances: DistanceRegression?

  public init() {}

  func check() throws(AimError) {
    let shares = [
      ("the least confidence", minConfidence), ("the most overlap", maxOverlap ?? 0),
      ("the required confidence", require?.least ?? 0), ("the least height", leastHeight),
    ]
    for (name, value) in shares {
      guard value >= 0, value <= 1 else { throw .outOfRange(name, "0 to 1") }
    }
    if let stick {
      guard stick >= 1, stick.isFinite else {
        throw .outOfRange("the factor to stick", "1 or more")
      }
    }
  }
}
