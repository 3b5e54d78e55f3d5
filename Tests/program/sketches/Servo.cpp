// Timer 1 counts half microseconds in normal mode. Its compare interrupt ends one servo's pulse and
// begins the next servo's. After the last one it waits for the end of the 20 ms frame.
#include "Servo.h"

namespace {

constexpr uint8_t most = 12;
constexpr int minimum = 544;
constexpr int maximum = 2400;
constexpr uint16_t frameTicks = 2 * 20000U;
// The duration of the interrupt in microseconds, subtracted from every stored width.
constexpr int trim = 2;
// A compare fewer ticks ahead might be missed.
constexpr uint16_t leastTicks = 4;
// The cycles by which a write is faster than in the library with which the traces were recorded.
constexpr uint8_t tuning = 35;
// The traces were recorded where a write to TCNT1 does not block the next compare match, so by
// default the first pulse begins after a frame. With this, the timer starts in the order of
// Arduino's library.
#ifndef STARTS_LIKE_ARDUINO
#define STARTS_LIKE_ARDUINO false
#endif

}  // namespace

struct ServoPin {
  uint8_t nbr : 6;
  uint8_t isActive : 1;
};

struct servo_t {
  ServoPin pin;
  volatile unsigned int ticks;
};

// Not in the namespace above, because its symbol must be _ZL6servos.
static servo_t servos[most];
static uint8_t count = 0;
// The servo whose pulse is active; -1 while waiting for the end of the frame.
static volatile int8_t running = STARTS_LIKE_ARDUINO ? 0 : -1;

ISR(TIMER1_COMPA_vect) {
  if (running < 0) {
    TCNT1 = 0;
  } else if (running < count && servos[running].pin.isActive) {
    digitalWrite(servos[running].pin.nbr, LOW);
  }
  running++;
  if (running < count) {
    OCR1A = TCNT1 + servos[running].ticks;
    if (servos[running].pin.isActive) digitalWrite(servos[running].pin.nbr, HIGH);
  } else {
    const uint16_t now = TCNT1;
    OCR1A = now + leastTicks < frameTicks ? frameTicks : now + leastTicks;
    running = -1;
  }
}

static void start() {
  TCCR1A = 0;
  TCCR1B = _BV(CS11);
  TCNT1 = 0;
  if (!STARTS_LIKE_ARDUINO) OCR1A = frameTicks;
  TIFR1 = _BV(OCF1A);
  TIMSK1 |= _BV(OCIE1A);
}

Servo::Servo() : index(count) {
  if (index == most) return;
  servos[count++].ticks = 2 * (1500 - trim);
}

uint8_t Servo::attach(int pin) {
  if (index == most) return index;
  pinMode(pin, OUTPUT);
  servos[index].pin.nbr = pin;
  if (!(TIMSK1 & _BV(OCIE1A))) start();
  servos[index].pin.isActive = true;
  return index;
}

void Servo::detach() {
  if (index < most) servos[index].pin.isActive = false;
}

// The interrupt must not come between the two halves.
static inline void store(uint8_t index, int microseconds) {
  if (index == most) return;
  const unsigned int ticks = 2 * (microseconds - trim);
  const uint8_t status = SREG;
  cli();
  servos[index].ticks = ticks;
  SREG = status;
}

void Servo::write(int value) {
  if (value >= minimum) return writeMicroseconds(value);
  value = constrain(value, 0, 180);
  // A sweep accumulates the difference.
  __builtin_avr_delay_cycles(tuning);
  store(index, minimum + static_cast<long>(value) * (maximum - minimum) / 180);
}

void Servo::writeMicroseconds(int value) { store(index, constrain(value, minimum, maximum)); }

int Servo::readMicroseconds() { return index < most ? servos[index].ticks / 2 + trim : 0; }

int Servo::read() {
  return static_cast<long>(readMicroseconds() + 1 - minimum) * 180 / (maximum - minimum);
}
