// An interrupt that prints: when the buffer is full, it waits with interrupts off.
#include <Servo.h>

Servo servo;

ISR(TIMER2_COMPA_vect) {
  static byte count = 0;
  if (++count % 4 != 0) return;
  Serial.println(F("a long line of what the turret has measured"));
  Serial.println(F("a second line, which is just as long as that"));
}

void setup() {
  Serial.begin(9600);
  servo.attach(9);
  servo.write(170);
  TCCR2A = _BV(WGM21);
  TCCR2B = _BV(CS22) | _BV(CS21) | _BV(CS20);
  // Every 58.4 ms it prints what takes 95.7 ms to send. Then interrupts are on for 21 ms, and off
  // again within a pulse.
  OCR2A = 227;
  TIMSK2 = _BV(OCIE2A);
}

void loop() {}
