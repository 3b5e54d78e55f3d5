// Timer 2 runs in CTC mode: it counts from 0 to OCR2A, starts over, and each time toggles OC2A,
// which is pin 11 (data sheet, "8-bit Timer/Counter2").
#include "buzzer.h"

#include <avr/io.h>

namespace {

constexpr uint32_t prescaler = 64;

// The counts in half a period, rounded. With a prescaler of 64 they fit into 8 bits from 489 Hz up.
constexpr uint32_t counts(uint32_t hertz) { return (F_CPU / prescaler + hertz) / (2 * hertz); }

constexpr bool isTrue(uint32_t hertz) {
  return counts(hertz) <= 256 &&
         100 * F_CPU / prescaler < 2 * counts(hertz) * hertz * 101 &&
         100 * F_CPU / prescaler > 2 * counts(hertz) * hertz * 99;
}

static_assert(isTrue(700) && isTrue(750) && isTrue(800) && isTrue(900),
              "a tone is more than 1 % off or too low for the timer");

// Replaces a tone that is sounding without a pause, because the timer's clock keeps running.
void start(uint32_t counts) {
  OCR2A = counts - 1;
  TCNT2 = 0;
  TCCR2A = _BV(COM2A0) | _BV(WGM21);
  TCCR2B = _BV(CS22);
}

// Returns the pin to the port, which drives it low: no current flows through the buzzer.
void stop() {
  TCCR2B = 0;
  TCCR2A = 0;
}

}  // namespace

void buzzer::attach() {
  stop();
  PORTB &= ~_BV(PORTB3);
  DDRB |= _BV(DDB3);
}

void buzzer::sound(uint16_t hertz) {
  switch (hertz) {
    case 700: return start(counts(700));
    case 750: return start(counts(750));
    case 800: return start(counts(800));
    case 900: return start(counts(900));
    default: return stop();
  }
}
