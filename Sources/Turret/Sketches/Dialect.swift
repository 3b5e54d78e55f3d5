/// What sets one of the blocking sketches apart from the other.
package protocol Dialect: Hashable, Sendable {
  /// The figures of the build that was measured.
  static var timing: Timing { get }
  /// Whether an unknown byte makes the sketch throw away all that waits.
  static var purgesAtUnknown: Bool { get }
  /// Whether the first `X` after start-up or after `L` sounds a tone.
  static var announcesAim: Bool { get }
  /// The tone of a letter, hertz; nil where the letter is unknown.
  static func tone(of letter: UInt8) -> UInt16?
  /// What goes to the servo library for a number; nil where the number is ignored.
  static func servoValue(of number: UInt16) -> Int16?
}
