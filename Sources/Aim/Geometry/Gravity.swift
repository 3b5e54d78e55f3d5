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
