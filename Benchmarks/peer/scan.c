/* A stand-in for the scanning classic sketch, for emulators of an ATmega328P at 16 MHz. It moves
 * one degree per step from 20 to 160 and back, busy-waits for 15 ms per step, and generates servo
 * pulses on PB1 with Timer 1's compare interrupt. It has no Arduino core and no serial port, only
 * the parts that give an emulator the same amount of work. */

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

/* Timer 1 counts half microseconds. */
#define FRAME 40000u

static volatile uint16_t width = 2 * 1472;
static volatile uint32_t overflows; /* of Timer 0, 1 024 us each */

ISR(TIMER1_COMPA_vect)
{
  static uint16_t lasting;
  if (PORTB & _BV(PORTB1)) {
    PORTB &= (uint8_t)~_BV(PORTB1);
    OCR1A += FRAME - lasting;
  } else {
    PORTB |= _BV(PORTB1);
    lasting = width;
    OCR1A += lasting;
  }
}

ISR(TIMER0_OVF_vect) { overflows++; }

static uint32_t microseconds(void)
{
  uint8_t flags = SREG;
  cli();
  uint32_t past = overflows;
  uint8_t count = TCNT0;
  if ((TIFR0 & _BV(TOV0)) && count < 255) past++;
  SREG = flags;
  return (past << 8 | count) * 4;
}

static void step(uint8_t degrees)
{
  uint16_t pulse = 544 + (uint16_t)((uint32_t)degrees * 1856 / 180);
  uint8_t flags = SREG;
  cli();
  width = 2 * pulse;
  SREG = flags;
  uint32_t start = microseconds();
  while (microseconds() - start < 15000) {}
}

int main(void)
{
  DDRB = _BV(DDB1);
  TCCR0B = _BV(CS01) | _BV(CS00); /* 4 us a count */
  TIMSK0 = _BV(TOIE0);
  TCCR1B = _BV(CS11);
  OCR1A = FRAME;
  TIMSK1 = _BV(OCIE1A);
  sei();
  for (;;) {
    for (uint8_t degrees = 20; degrees <= 160; degrees++) step(degrees);
    for (uint8_t degrees = 160; degrees >= 20; degrees--) step(degrees);
  }
}
