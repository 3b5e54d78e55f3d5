import Testing

@testable import AVR

@Suite("Waveform reports")
struct WaveformTests {
  @Test func `A servo pulse is reported when OCR1A's low byte is written, if it changed`() {
    var chip = Peripherals()
    chip.write(.DDRB, 2)
    chip.write(.TCCR1A, 0x82)
    chip.write(.TCCR1B, 0b11000)
    chip.write16(.ICR1L, 39_999)
    #expect(
      chip.waveforms == [
        OutputCompare(unit: .OC1A, drivesPin: true, pulseCycles: nil, matchCycles: nil)
      ])
    chip.write(.TCCR1B, 0b11010, at: 10)
    chip.events = []
    chip.write(.OCR1AH, 0x0B, at: 20)
    #expect(chip.events.isEmpty)
    chip.write(.OCR1AL, 0xB7, at: 21)
    chip.write16(.OCR1AL, 0x0BB7, at: 40)
    #expect(
      chip.events == [
        TimedChipEvent(
          cycle: 21,
          event: .waveform(
            OutputCompare(
              unit: .OC1A, drivesPin: true, pulseCycles: 24_000, periodCycles: 320_000,
              matchCycles: nil)))
      ])
  }

  @Test func `The Arduino core's tone on Timer 2 is recognized by its interrupt`() {
    var chip = Peripherals()
    chip.write(.TCCR2A, 2)
    chip.write(.TCCR2B, 4)
    chip.write(.OCR2A, 155, at: 5)
    #expect(chip.waveforms.isEmpty)
    chip.write(.TIMSK2, 2, at: 6)
    chip.write(.TIMSK2, 0, at: 1_000_000)
    #expect(
      chip.waveforms == [
        OutputCompare(unit: .OC2A, drivesPin: false, pulseCycles: nil, matchCycles: 156 * 64),
        OutputCompare(unit: .OC2A, drivesPin: false, pulseCycles: nil, matchCycles: nil),
      ])
  }

  @Test func `A toggling pin is reported with the time between its matches`() {
    var chip = Peripherals()
    chip.write(.TCCR2A, 0x42)
    chip.write(.OCR2A, 99)
    chip.write(.TCCR2B, 3)
    #expect(
      chip.waveforms.last
        == OutputCompare(unit: .OC2A, drivesPin: true, pulseCycles: nil, matchCycles: 3200))
  }

  @Test func `A reset ends the waveform`() {
    var chip = Peripherals()
    chip.write(.TCCR2A, 0x83)
    chip.write(.TCCR2B, 1)
    chip.reset(.external, at: 100)
    #expect(
      chip.waveforms.last
        == OutputCompare(unit: .OC2A, drivesPin: false, pulseCycles: nil, matchCycles: nil))
  }
}
