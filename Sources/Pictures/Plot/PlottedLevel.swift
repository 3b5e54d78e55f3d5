/// A row of levels in a session's picture: what the sketch puts on a pin, or what outputs of a kind
/// switch on and off.
package struct PlottedLevel: Hashable, Sendable {
  /// The maximum number in a picture: as many as there is room for.
  static let countMax = 8

  /// The row's label: for example `D7`, or `led`.
  package var name: String
  /// 1 or 0 from each sample on. The level before the first one is unknown.
  package var samples: [PlottedSession.Sample]

  package init(_ name: String, _ samples: [PlottedSession.Sample]) {
    self.name = name
    self.samples = samples
  }
}
