/// What the board must do now. The sketch decides; the board carries it out.
public struct Action: Hashable, Sendable, Codable {
  /// The angle to write to the servo, 0...180 degrees; nil leaves it as it is.
  public var degrees: UInt8?
  /// The frequency to sound, 0 for silence; nil leaves the buzzer as it is.
  public var hertz: UInt16?
  /// A line to send in full, or to drop in full if the transmit buffer has no room for it.
  public var line: Line?

  public init(degrees: UInt8? = nil, hertz: UInt16? = nil, line: Line? = nil) {
    self.degrees = degrees
    self.hertz = hertz
    self.line = line
  }
}
