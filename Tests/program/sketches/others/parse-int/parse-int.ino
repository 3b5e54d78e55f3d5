// As in many first sketches, any number that arrives is the angle. parseInt leaves the end of the
// line in the ring. The next call skips it, waits a second for digits, and returns 0.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(9600);
  servo.attach(9);
  servo.write(90);
}

void loop() {
  if (Serial.available() > 0) servo.write(Serial.parseInt());
}
