package import Turret

/// The level that a sketch puts on a pin, in a session's picture.
package struct PlottedLevel: Hashable, Sendable {
  /// The maximum number in a picture: as many as there is room for.
  static let countMax = 8

  package var pin: BoardPin
  /// 1 or 0 from each sample on. The level before the first one is unknown.
  package var samples: [PlottedSession.Sample]

  package init(_ pin: BoardPin, _ samples: [PlottedSession.Sample]) {
    self.pin = pin
    self.samples = samples
  }
}
