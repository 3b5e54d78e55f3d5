import Aim
import Traces

/// Counts what was seen and, if nothing was aimed at, explains why: most causes are mistakes that a
/// sentence can correct.
struct AimTally {
  /// The maximum number of labels named.
  private static let labelsMax = 5

  private let options: AimOptions
  private(set) var frames = 0
  private(set) var targets = 0
  /// These describe the frames before the first target.
  private var found = 0
  private var outside = 0
  private var hasRectangles = false
  private var labels: Set<String> = []

  init(_ options: AimOptions) { self.options = options }

  mutating func take(_ frame: Frame, _ sighting: Sighting) {
    frames += 1
    if sighting.angles != nil { targets += 1 }
    guard targets == 0 else { return }
    for one in frame.found {
      found += 1
      if let box = one.box, one.kind != .class, !box.isPlausible { outside += 1 }
      if one.kind == .rectangle { hasRectangles = true }
      if let label = one.label, labels.count <= Self.labelsMax { labels.insert(label) }
    }
  }

  /// Nil if there was a target, or nothing that could have been one.
  var note: String? {
    guard targets == 0, found > 0 else { return nil }
    return
      "nothing was aimed at, though \(found) \(found == 1 ? "thing was" : "things were") seen: "
      + reason
  }

  private var reason: String {
    if outside == found {
      return
        "no box lies in the picture; a box is [x, y, width, height] in shares of the picture, "
        + "0 to 1"
    }
    let wanted = [options.label, options.require?.label].compactMap(\.self)
    if let missing = wanted.first(where: { !labels.contains($0) }), labels.count <= Self.labelsMax {
      let seen = labels.sorted().map { "`\(PlainText.of($0, upTo: 40))`" }.joined(separator: ", ")
      return "none has the label `\(missing)`; "
        + (labels.isEmpty ? "none has any, and `kind` is not a label" : "the labels are \(seen)")
    }
    if options.strips != nil {
      return hasRectangles
        ? "no two rectangles of a frame make a pair of strips"
        : "pairs of strips are made of rectangles, and there are none"
    }
    return "nothing passed the options"
  }
}
