// Starts Timer 1 in the order of Arduino's servo library, whose OCR1A is 0 as after a reset. D8
// shows the start, and D9 the first compare match.
#include <Arduino.h>

ISR(TIMER1_COMPA_vect) { digitalWrite(9, HIGH); }

void setup() {
  pinMode(8, OUTPUT);
  pinMode(9, OUTPUT);
  digitalWrite(8, HIGH);
  TCCR1A = 0;
  TCCR1B = _BV(CS11);
  TCNT1 = 0;
  TIFR1 = _BV(OCF1A);
  TIMSK1 = _BV(OCIE1A);
}

void loop() {}
