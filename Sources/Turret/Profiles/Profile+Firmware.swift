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

  /// The bench's own profiles.
  package static var ours: [Profile] { Firmware.allCases.map { Profile($0) } }
}
