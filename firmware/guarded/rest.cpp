// The core's clock wakes the processor every 1.024 ms. For an instant in between, this file uses
// Timer 0's second compare unit: the timer counts every 4 us, and the core's micros() is computed
// from that count and its overflows.
#include "rest.h"

#include <Arduino.h>
#include <avr/sleep.h>

#include "port.h"

namespace {
constexpr uint8_t countMicroseconds = 64 / (F_CPU / 1000000);
constexpr uint32_t roundMicroseconds = 256UL * countMicroseconds;
}  // namespace

// Its only purpose is to wake the processor.
EMPTY_INTERRUPT(TIMER0_COMPB_vect)

void rest::begin() {
  set_sleep_mode(SLEEP_MODE_IDLE);
  // Switch from the core's fast PWM to plain counting. A round takes as long, so the core's clock
  // does not change, but a new compare value takes effect at once instead of in the next round.
  TCCR0A = 0;
}

void rest::until(uint32_t now, uint32_t wait) {
  const uint32_t due = now + wait;
  const bool isNear = wait < roundMicroseconds;
  if (isNear) {
    OCR0B = (due + countMicroseconds - 1) / countMicroseconds;
    TIFR0 = _BV(OCF0B);
    TIMSK0 |= _BV(OCIE0B);
  } else {
    TIMSK0 &= ~_BV(OCIE0B);
  }
  // An interrupt after cli() wakes the processor; any earlier one has already taken effect here.
  // The instruction after sei() is executed before any interrupt (data sheet, "Reset and Interrupt
  // Handling").
  cli();
  const bool isDue = isNear && static_cast<int32_t>(micros() - due) >= 0;
  if (port::isEmpty() && !isDue) {
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
  }
  sei();
}
