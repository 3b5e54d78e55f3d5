struct Part: Hashable, Sendable {
  /// The name that avr-gcc's option -mmcu takes, such as `atmega328p`.
  let name: String

  /// Nil if it cannot be emulated.
  var emulated: EmulatedPart? { EmulatedPart(rawValue: name) }

  /// The name for display: `ATmega32U4` for `atmega32u4`.
  var readableName: String {
    let families = [("atmega", "ATmega"), ("attiny", "ATtiny"), ("atxmega", "ATxmega")]
    for (prefix, family) in families where name.utf8.starts(with: prefix.utf8) {
      let rest = name.utf8.dropFirst(prefix.utf8.count)
      let upper = rest.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
      return family + String(decoding: upper, as: UTF8.self)
    }
    return name
  }

  /// The number of vectors of parts whose vectors are a JMP each (their data sheets, "Reset and
  /// Interrupt Vectors"). An ATmega328P and an ATmega168 have 26.
  private static let twoWordVectors = [
    29: "ATmega16U2 or ATmega32U2", 31: "ATmega644", 35: "ATmega1284P", 43: "ATmega32U4",
    45: "ATmega328PB", 57: "ATmega2560",
  ]
  /// The same for parts with at most 8 KB of flash, whose vectors are an RJMP each.
  private static let oneWordVectors = [
    15: "ATtiny25, ATtiny45 or ATtiny85", 17: "ATtiny24, ATtiny44 or ATtiny84", 19: "ATmega8",
    26: "ATmega48 or ATmega88",
  ]

  /// The number of a program's vectors and the part that has this many; nil if the program can be
  /// for an ATmega328P.
  static func other(vectorsOf words: [UInt16]) -> (count: Int, part: String)? {
    let targets = { (step: Int, isVector: (Int) -> UInt16?) -> [UInt16] in
      var targets: [UInt16] = []
      var address = 0
      while address + step <= words.count, let target = isVector(address) {
        targets.append(target)
        address += step
      }
      return targets
    }
    func relative(_ address: Int) -> UInt16? {
      words[address] & 0xF000 == 0xC000 ? (UInt16(address) &+ words[address]) & 0xFFF : nil
    }
    // A linker that relaxes replaces a JMP by an RJMP and a NOP.
    let jumps = targets(2) {
      words[$0] & 0xFE0E == 0x940C
        ? words[$0 + 1] : words[$0 + 1] == 0 ? relative($0).map { $0 &+ 1 } : nil
    }
    for (targets, parts) in [
      (jumps, twoWordVectors), (targets(1) { relative($0) }, oneWordVectors),
    ] {
      // Unused vectors all jump to the same place, and the last vector of such a part is rarely
      // used.
      guard let part = parts[targets.count], let last = targets.last,
        targets.count(where: { $0 == last }) > 2
      else { continue }
      return (targets.count, part)
    }
    return nil
  }
}
