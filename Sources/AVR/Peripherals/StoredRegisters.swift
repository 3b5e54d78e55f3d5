/// The registers of what is not emulated: they keep what is written, so that a program reads it back.
struct StoredRegisters: Hashable, Sendable, Saved {
  var SPCR: UInt8 = 0
  var SPSR: UInt8 = 0
  var SPDR: UInt8 = 0
  var ACSR: UInt8 = 0
  var DIDR0: UInt8 = 0
  var DIDR1: UInt8 = 0
  var TWBR: UInt8 = 0
  var TWSR: UInt8 = 0xF8
  var TWAR: UInt8 = 0xFE
  var TWDR: UInt8 = 0xFF
  var TWCR: UInt8 = 0
  var TWAMR: UInt8 = 0
}
