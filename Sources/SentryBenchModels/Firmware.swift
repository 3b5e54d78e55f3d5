package import Sketches

/// The sketch that runs on the turret's board.
public struct Firmware: RawRepresentable, Hashable, Sendable, CaseIterable,
  CustomStringConvertible
{
  /// Reads its port with `Serial.parseInt`, which waits for the end of a number.
  public static let classic = Firmware(.classic)
  /// Like `classic`, with a buzzer.
  public static let buzzer = Firmware(.buzzer)
  /// Reads one byte at a time, and drops a command that is broken off.
  public static let guarded = Firmware(.guarded)

  /// Every sketch that the bench models.
  public static var allCases: [Firmware] { Sketches.Firmware.allCases.map { Firmware($0) } }

  package let sketch: Sketches.Firmware

  private init(_ sketch: Sketches.Firmware) { self.sketch = sketch }

  /// Creates the sketch with a name, such as `guarded`; nil if the bench does not model it.
  public init?(rawValue: String) {
    guard let sketch = Sketches.Firmware(rawValue: rawValue) else { return nil }
    self.sketch = sketch
  }

  /// The sketch's name, as in the header of a trace.
  public var rawValue: String { sketch.rawValue }
  public var description: String { rawValue }
}
