// Timer 1 counts half microseconds in normal mode. Its compare interrupt ends one servo's pulse and
// begins the next servo's. After the last one it waits for the end of the 20 ms frame.
#include "Servo.h"

namespace {

constexpr uint8_t most = 12;
constexpr uint16_t frameTicks = 2 * 20000U;
// The duration of the interrupt in microseconds, subtracted from every width that is written.
constexpr int trim = 2;
// A compare fewer ticks ahead might be missed.
constexpr uint16_t leastTicks = 4;

}  // namespace

struct servo_t {
  struct {
    uint8_t nbr : 6;
    uint8_t isActive : 1;
  } pin;
  volatile unsigned int ticks;
};

// Not in the namespace above, because its symbol must be _ZL6servos.
static servo_t servos[most];
static uint8_t count = 0;
// The servo whose pulse is active; -1 while waiting for the end of the frame.
static volatile int8_t running = -1;

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

Servo::Servo() : index(count) {
  if (index == most) return;
  servos[count++].ticks = 2 * 1500;
}

uint8_t Servo::attach(int pin) { return attach(pin, 544, 2400); }

uint8_t Servo::attach(int pin, int shortest, int longest) {
  if (index == most) return index;
  below = (544 - shortest) / 4;
  above = (2400 - longest) / 4;
  pinMode(pin, OUTPUT);
  servos[index].pin.nbr = pin;
  if (!(TIMSK1 & _BV(OCIE1A))) {
    TCCR1A = 0;
    TCCR1B = _BV(CS11);
    TCNT1 = 0;
    OCR1A = frameTicks;
    TIFR1 = _BV(OCF1A);
    TIMSK1 |= _BV(OCIE1A);
  }
  servos[index].pin.isActive = true;
  return index;
}

void Servo::detach() {
  if (index < most) servos[index].pin.isActive = false;
}

void Servo::write(int value) {
  if (value < 544) {
    value = constrain(value, 0, 180);
    value = lowest() + static_cast<long>(value) * (highest() - lowest()) / 180;
  }
  writeMicroseconds(value);
}

void Servo::writeMicroseconds(int value) {
  if (index == most) return;
  const unsigned int ticks = 2 * (constrain(value, lowest(), highest()) - trim);
  const uint8_t status = SREG;
  cli();
  servos[index].ticks = ticks;
  SREG = status;
}
