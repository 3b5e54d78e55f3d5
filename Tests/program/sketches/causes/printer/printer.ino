// An interrupt that prints while a pulse lasts: when the buffer is full, it waits with interrupts
// off.
#include <Servo.h>

Servo servo;

ISR(TIMER0_COMPA_vect) {
  if (!(PINB & _BV(1))) return;
  Serial.println(F("a long line of what the turret has measured"));
  Serial.println(F("a second line, which is just as long as that"));
}

void setup() {
  Serial.begin(9600);
  servo.attach(9);
  servo.write(170);
  OCR0A = 128;
  TIMSK0 |= _BV(OCIE0A);
}

void loop() {}
