// Turns a servo on pin 9 back and forth.
#include <SentryServo.h>

SentryServo servo;

void setup() { servo.attach(9); }

void loop() {
  for (int degrees = 20; degrees <= 160; degrees++) {
    servo.write(degrees);
    delay(15);
  }
  for (int degrees = 160; degrees >= 20; degrees--) {
    servo.write(degrees);
    delay(15);
  }
}
