/// The member `stored` of a saved state: registers that only store what is written to them.
struct KeptSnapshot: Hashable, Sendable, Saved {
  var SPCR: UInt8 = 0
  var SPSR: UInt8 = 0
  var SPDR: UInt8 = 0
  var ACSR: UInt8 = 0
  var DIDR0: UInt8 = 0
  var DIDR1: UInt8 = 0
  var TWBR: UInt8 = 0
  var TWSR: UInt8 = 0
  var TWAR: UInt8 = 0
  var TWDR: UInt8 = 0
  var TWCR: UInt8 = 0
  var TWAMR: UInt8 = 0
}
