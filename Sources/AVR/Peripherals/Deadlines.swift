/// When each peripheral next does something by itself; `.max`: never.
struct Deadlines: Hashable, Sendable {
  var timer0 = UInt64.max
  var timer1 = UInt64.max
  var timer2 = UInt64.max
  var usart = UInt64.max
  var ports = UInt64.max
  /// The watchdog, the EEPROM, SPM, the ADC and the windows of four cycles.
  var others = UInt64.max

  var earliest: UInt64 {
    min(min(min(timer0, timer1), min(timer2, usart)), min(ports, others))
  }
}
