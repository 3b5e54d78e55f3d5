// S, and the width of a pulse in microseconds, the low byte first.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(38400);
  servo.attach(6);
}

void loop() {
  if (Serial.available() < 3) return;
  if (Serial.read() != 'S') return;
  unsigned int low = Serial.read();
  unsigned int width = low | Serial.read() << 8;
  if (width >= 700 && width <= 2300) servo.writeMicroseconds(width);
}
