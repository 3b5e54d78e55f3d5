package import Turret

/// A servo other than the session's own, in a session's picture.
package struct PlottedServo: Hashable, Sendable {
  /// The number of colours. From there on, dashes tell the lines apart.
  static let colorCount = 4
  /// The maximum number in a picture: as many as can be told apart by their colours and dashes.
  static let countMax = 20

  /// The servo's pin.
  package var pin: BoardPin
  /// Its name in the picture.
  package var label: String
  /// The commanded angle in degrees from each sample on.
  package var commanded: [PlottedSession.Sample]
  /// The shaft's angle in degrees, connected by straight lines; empty if it had no pulses.
  package var shaft: [PlottedSession.Sample]

  package init(
    _ pin: BoardPin, commanded: [PlottedSession.Sample], shaft: [PlottedSession.Sample] = []
  ) {
    self.pin = pin
    label = pin.name
    self.commanded = commanded
    self.shaft = shaft
  }
}
