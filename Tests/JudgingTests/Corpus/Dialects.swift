import Sketches

/// Classic with one difference.
protocol NearlyClassic: Dialect {}

extension NearlyClassic {
  static var timing: Timing { Classic.timing }
  static var purgesAtUnknown: Bool { Classic.purgesAtUnknown }
  static var announcesAim: Bool { Classic.announcesAim }
  static func tone(of letter: UInt8) -> UInt16? { Classic.tone(of: letter) }
  static func servoValue(of number: UInt16) -> Int16? { Classic.servoValue(of: number) }
  static func beginsNumber(_ byte: UInt8) -> Bool { Classic.beginsNumber(byte) }
}

enum ClassicWithoutPurge: NearlyClassic {
  static var purgesAtUnknown: Bool { false }
}

enum ClassicThatClamps: NearlyClassic {
  static func servoValue(of number: UInt16) -> Int16? { Int16(min(number, 180)) }
}

enum ClassicThatRefuses180: NearlyClassic {
  static func servoValue(of number: UInt16) -> Int16? { number < 180 ? Int16(number) : nil }
}

/// Buzzer with one difference.
protocol NearlyBuzzer: Dialect {}

extension NearlyBuzzer {
  static var timing: Timing { Buzzer.timing }
  static var purgesAtUnknown: Bool { Buzzer.purgesAtUnknown }
  static var announcesAim: Bool { Buzzer.announcesAim }
  static func tone(of letter: UInt8) -> UInt16? { Buzzer.tone(of: letter) }
  static func servoValue(of number: UInt16) -> Int16? { Buzzer.servoValue(of: number) }
  static func beginsNumber(_ byte: UInt8) -> Bool { Buzzer.beginsNumber(byte) }
}

enum BuzzerWithPurge: NearlyBuzzer {
  static var purgesAtUnknown: Bool { true }
}

enum BuzzerWithoutAnnouncement: NearlyBuzzer {
  static var announcesAim: Bool { false }
}

enum BuzzerWithWrongT: NearlyBuzzer {
  static func tone(of letter: UInt8) -> UInt16? {
    letter == UInt8(ascii: "T") ? 820 : Buzzer.tone(of: letter)
  }
}

enum BuzzerWithWrongO: NearlyBuzzer {
  static func tone(of letter: UInt8) -> UInt16? {
    letter == UInt8(ascii: "O") ? 770 : Buzzer.tone(of: letter)
  }
}

enum BuzzerWithWrongC: NearlyBuzzer {
  static func tone(of letter: UInt8) -> UInt16? {
    letter == UInt8(ascii: "C") ? 720 : Buzzer.tone(of: letter)
  }
}

enum BuzzerThatChecksTheRange: NearlyBuzzer {
  static func servoValue(of number: UInt16) -> Int16? { Classic.servoValue(of: number) }
  static func beginsNumber(_ byte: UInt8) -> Bool { Classic.beginsNumber(byte) }
}

enum BuzzerThatIgnoresNegatives: NearlyBuzzer {
  static func servoValue(of number: UInt16) -> Int16? { number < 32_768 ? Int16(number) : nil }
}

enum BuzzerThatIgnores181To543: NearlyBuzzer {
  static func servoValue(of number: UInt16) -> Int16? {
    181...543 ~= number ? nil : Buzzer.servoValue(of: number)
  }
}

enum BuzzerWithoutMicroseconds: NearlyBuzzer {
  static func servoValue(of number: UInt16) -> Int16? {
    544...32_767 ~= number ? 180 : Buzzer.servoValue(of: number)
  }
}

enum BuzzerThatIgnoresOver2400: NearlyBuzzer {
  static func servoValue(of number: UInt16) -> Int16? {
    2_401...32_767 ~= number ? nil : Buzzer.servoValue(of: number)
  }
}
