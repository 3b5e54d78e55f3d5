/// The filters selected by the options, applied in order.
struct ChosenFilters: ObservationFilter {
  private var confidence: ConfidenceFilter?
  private var label: LabelFilter?
  private var height: HeightFilter?
  private var aspect: AspectFilter?
  private var overlap: OverlapFilter?

  init(camera: Camera, options: AimOptions) {
    if options.minConfidence > 0 { confidence = ConfidenceFilter(least: options.minConfidence) }
    label = options.label.map { LabelFilter($0) }
    if options.leastHeight > 0 { height = HeightFilter(least: options.leastHeight) }
    aspect = options.ratio.map { AspectFilter($0, picture: camera.seen) }
    overlap = options.maxOverlap.map { OverlapFilter(most: $0) }
  }

  func callAsFunction(_ found: [Observation]) -> [Observation] {
    var found = found
    if let confidence { found = confidence(found) }
    if let label { found = label(found) }
    if let height { found = height(found) }
    if let aspect { found = aspect(found) }
    if let overlap { found = overlap(found) }
    return found
  }
}
