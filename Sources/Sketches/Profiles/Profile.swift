/// The commands of a sketch, and the names of its pins. Each of the bench's own sketches has one.
///
/// A profile without commands is that of a sketch of which only the name is known: its bytes are
/// not interpreted.
package struct Profile: Hashable, Sendable {
  package struct NamedPin: Hashable, Sendable {
    package var name: String
    package var pin: BoardPin

    package init(_ name: String, _ pin: BoardPin) {
      self.name = name
      self.pin = pin
    }
  }

  package static let commandsMax = 32
  package static let pinsMax = 32
  /// How long a command that a newer one cannot replace can wait for the line.
  package static let lateMax = Interval.seconds(1)

  package var name: String
  /// The forms of its commands. None can end where another continues.
  package var commands: [CommandForm]
  /// The board's speed, in bits a second; nil for the usual one.
  package var baud: Int?
  package var servos: [NamedPin] = []
  package var pins: [NamedPin] = []
  /// What the sketch sends when it is ready to receive; empty if it sends nothing.
  package var boot: [UInt8] = []
  /// The commands that leave the turret holding, scanning or centred when no client is in control;
  /// nil for those that the sketch does not have.
  package var hold: [UInt8]?
  package var scan: [UInt8]?
  package var centre: [UInt8]?

  package init(name: String, commands: [CommandForm], baud: Int? = nil) {
    self.name = name
    self.commands = commands
    self.baud = baud
  }

  /// Creates the profile of a sketch of which only the name is known.
  package init(undescribed name: String) { self.init(name: name, commands: []) }

  /// Whether it describes commands, so that bytes can be interpreted.
  package var hasCommands: Bool { !commands.isEmpty }

  /// The pin of a servo with this name; nil if there is none.
  package func servo(named name: String) -> BoardPin? {
    servos.first { $0.name == name }?.pin
  }

  /// The pin with this name, a servo's or another; nil if there is none.
  package func pin(named name: String) -> BoardPin? {
    servo(named: name) ?? pins.first { $0.name == name }?.pin
  }

  /// Returns the form of one whole command, counted from 0; nil if the bytes are anything else.
  package func form(of command: [UInt8]) -> Int? {
    var recognizer = CommandRecognizer(self)
    for (index, byte) in command.enumerated() {
      let meaning = recognizer.take(byte)
      if index + 1 < command.count, meaning != .open || recognizer.count != index + 1 { return nil }
      guard index + 1 == command.count, recognizer.count == command.count else { continue }
      if case .command(let form) = meaning { return form }
      if case .command(let form)? = recognizer.takePause() { return form }
    }
    return nil
  }

  /// The longest pause that ends one of its commands; nil if none ends at a pause.
  package var pauseMax: Interval? { commands.compactMap { $0.pause }.max() }

  /// The commands in a sentence, at most the first five.
  package var list: String {
    let texts = commands.prefix(5).map { $0.description }
    if commands.count > 5 { return texts.joined(separator: ", ") + ", ..." }
    guard let last = texts.last, texts.count > 1 else { return texts.first ?? "" }
    return texts.dropLast().joined(separator: ", ") + " or " + last
  }
}

extension [Profile.NamedPin] {
  /// Returns how a display names a pin: `tilt D10`, or the pin alone if it has no name.
  package func label(of pin: BoardPin) -> String {
    first { $0.pin == pin }.map { "\($0.name) \(pin.name)" } ?? pin.name
  }
}

extension Profile {
  /// The profile of one of the bench's own sketches, as its description states it.
  ///
  /// `CommandParser` parses these commands with its own state machine, which is faster. The tests
  /// require that both find the same commands.
  package init(_ firmware: Firmware) {
    let sketch = firmware.sketch
    let stop = CommandForm.Part.byte(UInt8(ascii: "."))
    let angle = CommandForm.Part.number(CommandField("angle", 0...180))
    var commands = sketch.aimLetters.map { letter in
      CommandForm([.byte(letter), angle, stop], isReplaceable: true)
    }
    let letters = sketch.letters.keys.sorted()
    commands += letters.map { CommandForm([.byte($0)]) }
    self.init(name: firmware.rawValue, commands: commands)
    scan = letters.first { sketch.letter($0) == .scan }.map { [$0] }
    centre = sketch.aimLetters.first.map { [$0] + Array("90.".utf8) }
  }
}

/// The names in a profile: of numbers, servos and pins.
package enum ProfileName {
  package static let lengthMax = 32
  package static let rule = "1 to \(lengthMax) letters, digits, \"-\" and \"_\""

  package static func isValid(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= lengthMax
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
