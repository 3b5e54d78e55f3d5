// Timer 1 in fast PWM mode 14: it counts half microseconds from 0 to ICR1 and starts over, every
// 20 ms. OC1A, which is pin 9, goes high at 0 and low after OCR1A (data sheet, "16-bit
// Timer/Counter1 with PWM"). OCR1A is double-buffered, the timer takes a new width at 0: a pulse
// that has begun keeps its own.
#include "SentryServo.h"

#if defined(__AVR__)

#include <util/atomic.h>

#if F_CPU != 16000000
#error "SentryServo counts half microseconds, which takes a 16 MHz clock"
#endif

namespace {

constexpr uint16_t frame = 20000;

// The pin is high from count 0 to count OCR1A, both included.
constexpr uint16_t lastCount(uint16_t microseconds) { return 2 * microseconds - 1; }

// The two halves of Timer 1's registers go by way of one byte, which an interrupt may not touch
// in between.
void setWidth(uint16_t microseconds) {
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { OCR1A = lastCount(microseconds); }
}

}  // namespace

uint8_t SentryServo::attach(int pin) {
  if (pin != 9) return invalid;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    // Stopped, and in CTC mode 12: there OCR1A changes at once, and only a mode that counts to ICR1
    // lets that be written (data sheet, "Input Capture Register 1").
    TCCR1A = 0;
    TCCR1B = _BV(WGM13) | _BV(WGM12);
    OCR1A = lastCount(pulse);
    ICR1 = lastCount(frame);
    // A compare that is forced leaves the output low, whatever it was left at.
    TCCR1A = _BV(COM1A1);
    TCCR1C = _BV(FOC1A);
    PORTB &= ~_BV(PORTB1);
    DDRB |= _BV(DDB1);
    // Low for a whole frame, so that a width written right after this is that of the first pulse.
    TCNT1 = 1;
    TCCR1A = _BV(COM1A1) | _BV(WGM11);
    TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);
  }
  isAttached = true;
  return 0;
}

void SentryServo::detach() {
  if (!isAttached) return;
  // Timer 1 ends the pulse by itself; the next begins 17 ms later.
  while (PINB & _BV(PINB1)) {}
  TCCR1A = 0;
  TCCR1B = 0;
  isAttached = false;
}

// The Arduino library maps with 32-bit integers, and so rounds down.
void SentryServo::write(int value) {
  if (value < minimum) {
    value = constrain(value, 0, 180);
    value = minimum + static_cast<long>(value) * (maximum - minimum) / 180;
  }
  writeMicroseconds(value);
}

void SentryServo::writeMicroseconds(int value) {
  pulse = constrain(value, minimum, maximum);
  if (isAttached) setWidth(pulse);
}

int SentryServo::read() const {
  return static_cast<long>(pulse + 1 - minimum) * 180 / (maximum - minimum);
}

#endif
