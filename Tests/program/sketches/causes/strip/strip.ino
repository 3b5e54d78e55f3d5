// A strip of lights, whose bits are timed with interrupts off.
#include <Servo.h>

Servo servo;

void show() {
  noInterrupts();
  for (byte led = 0; led < 16; led++) {
    for (byte bit = 0; bit < 24; bit++) {
      PORTD |= _BV(6);
      __builtin_avr_delay_cycles(6);
      PORTD &= ~_BV(6);
      __builtin_avr_delay_cycles(6);
    }
  }
  interrupts();
}

void setup() {
  pinMode(6, OUTPUT);
  servo.attach(9);
  servo.write(90);
}

void loop() {
  show();
  delay(7);
}
