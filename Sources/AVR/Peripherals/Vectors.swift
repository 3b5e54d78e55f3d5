/// Sets of vector numbers, a bit each (data sheet, "Reset and Interrupt Vectors in ATmega328P").
enum Vectors {
  static let external: UInt32 = 0b11_1110
  static let timer2: UInt32 = 0b111 << 7
  static let timer1: UInt32 = 0b1111 << 10
  static let timer0: UInt32 = 0b111 << 14
  static let usart: UInt32 = 0b111 << 18
  static let watchdog: UInt32 = 1 << 6
  static let SPI: UInt32 = 1 << 17
  static let ADC: UInt32 = 1 << 21
  static let EEPROM: UInt32 = 1 << 22
  static let SPM: UInt32 = 1 << 25
  /// Those that `Deadlines.others` covers.
  static let others = watchdog | ADC | EEPROM | SPM
}
