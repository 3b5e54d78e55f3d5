/// How a picture fills a view of another shape.
public enum Gravity: String, Hashable, Sendable, CaseIterable {
  /// Each axis is scaled by itself: all is seen, distorted. What the face-tracking app does.
  case resize
  /// One scale for both axes so that the view is full: centred, what sticks out is not seen.
  case aspectFill = "aspect-fill"
  /// One scale for both axes so that all is seen: centred, with empty bands.
  case aspectFit = "aspect-fit"
}
