/// The member `system` of a saved state: the registers of system control, and two of the timers'
/// for compatibility.
struct SystemSnapshot: Hashable, Sendable, Saved {
  var SMCR: UInt8 = 0
  var MCUSR: UInt8 = 0
  var PRR: UInt8 = 0
  var OSCCAL: UInt8 = 0
  var GPIOR0: UInt8 = 0
  var GPIOR1: UInt8 = 0
  var GPIOR2: UInt8 = 0
  var ASSR: UInt8 = 0
  var GTCCR: UInt8 = 0
  var settings: UInt8 = 0
  var clockPrescaler: UInt8 = 0
  var vectorWindowEnd: UInt64 = .max
  var clockWindowEnd: UInt64 = .max
}
