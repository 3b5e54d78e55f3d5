// A bus on pins 8 and 10, whose port is that of the servo: it is read, changed and written back.
#include <Servo.h>

Servo servo;

void send(byte value) {
  for (byte bit = 0; bit < 8; bit++) {
    byte port = PORTB & ~0x05;
    if (value & 1) port |= 0x04;
    __builtin_avr_delay_cycles(40);
    PORTB = port;
    PORTB |= 0x01;
    value >>= 1;
  }
}

void setup() {
  pinMode(8, OUTPUT);
  pinMode(10, OUTPUT);
  servo.attach(9);
  servo.write(90);
}

void loop() { send(0xA5); }
