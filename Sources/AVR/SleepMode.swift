/// The sleep modes of SMCR (data sheet, "Power Management and Sleep Modes").
package enum SleepMode: UInt8, Hashable, Sendable {
  case idle = 0b000
  case adcNoiseReduction = 0b001
  case powerDown = 0b010
  case powerSave = 0b011
  case standby = 0b110
  case extendedStandby = 0b111
}
