import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the ADC in `adc.spec.ts`.
@Suite("avr8js's expectations of the ADC")
struct ADCPeerTests {
  /// Begins a conversion, waits for ADSC to be 0, and reads the result.
  private static func converts(_ control: Int, _ label: String) -> String {
    "ADMUX=0x40; ADCSRA=\(control); \(label):; lds r24, ADCSRA; andi r24, 0x40; brne \(label); "
      + "r20=ADCL; r21=ADCH; "
  }

  static let conversions = [
    // 2.56 / 5 * 1024 is 524, which is 0x20C.
    SmallProgram("2.56 V of 5 V give 524", converts(0xC7, "wait"), 0x0C, 2)
      .with([.init(0, 14, volts: 2.56)]),
    // ADSC and ADIF, 25 times 128 cycles after the write: before and after.
    SmallProgram(
      "the first conversion at clk/128 takes 3 200 cycles",
      "ADMUX=0x40; ADCSRA=0xC7; \(SmallProgram.delay(3_198, "wait")) r20=ADCSRA; r21=ADCSRA", 0xC7,
      0x97),
    // Measured on a board, as avr8js states: a start without ADEN ends at once, with the result 0.
    SmallProgram(
      "without ADEN nothing begins, and the result is 0",
      "r20=0xFF; r21=0xFF; "
        + converts(0x47, "wait"), 0, 0
    ).with([.init(0, 14, volts: 2.56)]),
  ]

  @Test(arguments: conversions)
  func `The ADC converts as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
