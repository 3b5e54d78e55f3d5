package import Sketches

/// The options of the chain. The defaults are those of the face-tracking app.
public struct AimOptions: Hashable, Sendable {
  /// How a position is converted to an angle.
  public var mapping: Mapping = .linear
  /// Reverses the turret's direction: `|degrees - 180|`.
  public var mirror = false
  /// Reverses the direction in which it tilts.
  public var mirrorTilt = false
  /// The point of a face to aim at.
  public var at = AimPoint.box
  /// The sketch's command for the angles.
  public var command = CommandTemplate.bench
  /// The sketch's command for a lost target; empty if it has none, so that the turret stays where
  /// it is.
  public var lost = Array("L".utf8)
  /// When to fire, and with which command; nil never fires.
  public var fire: FireOptions?
  /// The angles to which the turret turns at most, within 0...180.
  public var pan = 0...180
  public var tilt = 0...180
  /// How the picture fills the view.
  public var gravity: Gravity = .resize
  /// Ignores observations with a lower confidence, 0...1.
  public var minConfidence = 0.0
  /// Ignores the less confident of two observations that overlap by more than this, 0...1; nil
  /// ignores none.
  public var maxOverlap: Double?
  /// Aims only at observations with this label.
  public var label: String?
  /// Aims only while an observation with this label is confident enough.
  public var require: Gate?
  /// Keeps a target until another is more than this many times as large, at least 1.
  public var stick: Double?
  /// The size of the view in points; nil for the camera's.
  public var view: Size?
  /// The minimum height of a box as a share of the picture's height, 0...1.
  public var leastHeight = 0.0
  /// The permitted width of a box divided by its height, in pixels.
  public var ratio: ClosedRange<Double>?
  /// Aims only at pairs of strips instead of single objects.
  public var strips: StripPairing?
  public var distances: DistanceRegression?
  /// Follows a target that moves, or from a camera on the turret; nil aims at where the target is
  /// in each picture.
  public var follow: FollowOptions?

  public init() {}

  /// Takes the commands for the angles and for a lost target from a profile. A sketch that scans
  /// for a target has a command for a lost one.
  package mutating func adopt(_ profile: Profile) throws(CommandTextError) {
    command = try CommandTemplate(profile)
    lost = profile.scan ?? []
  }

  /// The commands as a profile; nil for those of the bench's sketches. Throws if they cannot be
  /// told apart.
  package var ownProfile: Profile? {
    get throws(CommandTextError) {
      let usual = AimOptions()
      let fires = fire.map { Profile(.guarded).form(of: $0.command) == nil } ?? false
      guard command != usual.command || lost != usual.lost || fires else { return nil }
      var forms = command.forms
      for index in forms.indices { forms[index].isReplaceable = true }
      for bytes in [lost, fire?.command ?? []] where !bytes.isEmpty {
        let form = CommandForm(bytes.map { .byte($0) })
        if !forms.contains(where: { $0.parts == form.parts }) { forms.append(form) }
      }
      if let (ending, other) = CommandForm.overlap(in: forms) {
        throw CommandTextError(
          "expected commands that can be told apart: \(forms[ending]) can end where "
            + "\(forms[other]) continues")
      }
      var profile = Profile(name: "own", commands: forms)
      profile.scan = lost.isEmpty ? nil : lost
      return profile
    }
  }

  func check() throws(AimError) {
    let shares = [
      ("the minimum confidence", minConfidence), ("the maximum overlap", maxOverlap ?? 0),
      ("the required confidence", require?.least ?? 0), ("the minimum height", leastHeight),
    ]
    for (name, value) in shares {
      guard value >= 0, value <= 1 else { throw .outOfRange(name, "0 to 1") }
    }
    for (name, limits) in [("the limits of pan", pan), ("the limits of tilt", tilt)] {
      guard limits.lowerBound >= 0, limits.upperBound <= 180 else {
        throw .outOfRange(name, "0 to 180 degrees")
      }
    }
    if let fire {
      guard !fire.command.isEmpty else {
        throw .outOfRange("the command to fire", "a byte or more")
      }
      try fire.when.check()
    }
    try follow?.check()
    if let stick {
      guard stick >= 1, stick.isFinite else { throw .outOfRange("the stick factor", "1 or more") }
    }
  }
}

/// Why the chain cannot be set up. Invalid data in a frame is never an error: see `SoundFilter`.
public enum AimError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The width or height is outside `Size.range`.
  case badSize(String)
  /// The field of view is not between 0 and 180 degrees.
  case badFieldOfView(Double)
  /// The mapping `fov` is selected, but the camera's field of view is not known.
  case noFieldOfView
  /// A target is to be followed, but the camera's field of view is not known.
  case noFieldOfViewToFollow
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
    case .noFieldOfViewToFollow: "following a target needs the camera's field of view"
    case .outOfRange(let option, let range): "\(option) must be \(range)"
    case .badSample(let index):
      "sample \(index + 1): the share must be above 0 and at most 1, and the distance above 0"
    case .tooFewSamples: "a distance needs at least two samples with different shares"
    case .notADistance: "according to the samples, a target that is further away is not smaller"
    }
  }
}
