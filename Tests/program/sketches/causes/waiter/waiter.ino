// The published sketch's sweep: each step waits, and what arrives meanwhile waits too.
#include <Servo.h>

Servo servo;

void step(int angle) {
  servo.write(angle);
  delay(15);
}

void sweep() {
  for (int angle = 20; angle < 160; angle++) {
    if (Serial.available()) return;
    step(angle);
  }
}

void setup() {
  Serial.begin(9600);
  servo.attach(9);
}

void loop() {
  if (Serial.available()) {
    if (Serial.read() == 'X') servo.write(90);
  }
  sweep();
}
