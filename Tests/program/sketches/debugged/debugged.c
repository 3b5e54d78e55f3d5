// The program of test_gdb.py: each turn of its loop takes 10 ms and changes the same variables, and
// interrupts come during all of it.
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdint.h>

enum mode { IDLE, SWEEP = 5 };

struct point {
  int8_t x;
  uint16_t y;
  char name[4];
  enum mode mode;
  uint8_t low : 3, high : 5;
};

volatile struct point points[2] = {{-3, 500, "ab", SWEEP, 5, 17}, {4, 600, "cde", IDLE, 1, 2}};
const uint8_t table[4] PROGMEM = {11, 22, 33, 44};
uint8_t stored[4] EEMEM = {0xA1, 0xB2, 0xC3, 0xD4};
volatile uint16_t turns, total, doubled, ticks, interrupts;
volatile uint8_t bytes[4], heard, sum;

ISR(USART_RX_vect) {
  uint8_t byte = UDR0;
  bytes[heard++ & 3] = byte;
}

__attribute__((noinline)) void count(uint8_t by) { interrupts += by; }

// Comes every 8 us, so that lines are often interrupted.
ISR(TIMER2_COMPA_vect) { count(1); }

ISR(TIMER1_COMPA_vect) { ticks++; }

__attribute__((noinline)) uint16_t inner(uint16_t number) {
  total += number;
  return number * 2;
}

__attribute__((noinline)) uint16_t outer(uint16_t number) {
  uint16_t result = inner(number);
  result += 1;
  return result;
}

__attribute__((noinline)) uint8_t added(void) {
  uint8_t all = 0;
  for (uint8_t index = 0; index < 4; index++) {
    all += bytes[index];
  }
  return all;
}

__attribute__((noinline)) void turn(void) {
  uint8_t index = turns & 1;
  turns++;
  doubled = outer(turns);
  points[index].y += 1;
  points[index].x = index;
  sum = added();
}

int main(void) {
  UBRR0 = 103;  // 9600 baud
  UCSR0B = _BV(RXEN0) | _BV(RXCIE0) | _BV(TXEN0);
  OCR1A = 19999;  // 10 ms
  TCCR1B = _BV(WGM12) | _BV(CS11);
  TIMSK1 = _BV(OCIE1A);
  OCR2A = 127;  // 8 us
  TCCR2A = _BV(WGM21);
  TCCR2B = _BV(CS20);
  TIMSK2 = _BV(OCIE2A);
  sei();
  for (;;) {
    uint16_t before = ticks;
    turn();
    while (ticks == before) continue;
  }
}
