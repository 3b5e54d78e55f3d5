/// The differences between the blocking sketches.
package protocol Dialect: Hashable, Sendable {
  /// The figures of the build that was measured.
  static var timing: Timing { get }
  /// Whether an unknown byte makes the sketch discard all waiting bytes.
  static var purgesAtUnknown: Bool { get }
  /// Whether the first `X` after start-up or after `L` sounds a tone.
  static var announcesAim: Bool { get }
  /// Returns the tone of a letter, in hertz; nil if the letter is unknown.
  static func tone(of letter: UInt8) -> UInt16?
  /// Returns the value passed to the servo library for a number; nil if the number is ignored.
  static func servoValue(of number: UInt16) -> Int16?
  /// Whether a byte begins a number. State it with `@inline(__always)`: it is asked for every byte.
  static func beginsNumber(_ byte: UInt8) -> Bool
  /// The range of the scan, in degrees. By default, 20 to 160.
  static var scan: ClosedRange<UInt8> { get }
}

extension Dialect {
  package static var scan: ClosedRange<UInt8> { 20...160 }
}

extension SketchDescription {
  /// Derives a blocking sketch's description from its dialect.
  init<D: Dialect>(_: D.Type) {
    let bytes = UInt8.min...UInt8.max
    var letters: [UInt8: Letter] = [UInt8(ascii: "L"): .scan]
    for byte in bytes {
      if let hertz = D.tone(of: byte) { letters[byte] = .tone(hertz) }
    }
    self.init(
      aimLetters: bytes.filter { D.beginsNumber($0) }, letters: letters,
      numberCheck: D.servoValue(of: 181) == nil ? .ignoresOver180 : .none, scan: D.scan,
      purgesAtUnknown: D.purgesAtUnknown, announcesAim: D.announcesAim, polls: false,
      timing: D.timing)
  }
}
