// Timer 1 runs in fast PWM mode 14: it counts half microseconds from 0 to ICR1 and starts over,
// every 20 ms. OC1A, which is pin 9, goes high at 0 and low after OCR1A (data sheet, "16-bit
// Timer/Counter1 with PWM"). OCR1A is double-buffered and the timer adopts a new width at 0, so a
// pulse that has begun keeps its width.
#include "SentryPulse.h"

#if defined(__AVR__)

#if F_CPU != 16000000
#error "SentryPulse counts half microseconds, which requires a 16 MHz clock"
#endif

namespace {

constexpr uint16_t frame = 20000;

}  // namespace

uint8_t SentryPulse::attach(int pin) {
  if (pin != 9) return invalid;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    // Stop the timer in CTC mode 12: there OCR1A changes at once, and ICR1 is writable only in a
    // mode that counts to it (data sheet, "Input Capture Register 1").
    TCCR1A = 0;
    TCCR1B = _BV(WGM13) | _BV(WGM12);
    OCR1A = lastCount(pulse);
    ICR1 = lastCount(frame);
    // A forced compare sets the output low, whatever its previous level.
    TCCR1A = _BV(COM1A1);
    TCCR1C = _BV(FOC1A);
    PORTB &= ~_BV(PORTB1);
    DDRB |= _BV(DDB1);
    // Stay low for a whole frame, so that a width written right after this applies to the first
    // pulse.
    TCNT1 = 1;
    TCCR1A = _BV(COM1A1) | _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
  }
  isAttached = true;
  return 0;
}

void SentryPulse::detach() {
  if (!isAttached) return;
  // Timer 1 ends the present pulse; the next one would begin 17 ms later.
  while (PINB & _BV(PINB1)) {}
  TCCR1A = 0;
  TCCR1B = 0;
  isAttached = false;
}

void SentryPulse::writeMicroseconds(int value) { store(constrain(value, minimum, maximum)); }

#endif
