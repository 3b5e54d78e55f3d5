/// Why the chip restarted. The raw value is its bit in MCUSR (data sheet, "MCU Status Register").
package enum ResetCause: UInt8, Hashable, Sendable, Saved, CaseIterable {
  case powerOn = 0
  case external = 1
  case brownOut = 2
  case watchdog = 3
}
