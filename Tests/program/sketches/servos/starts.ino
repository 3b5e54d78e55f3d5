// Attaches its servo without an angle, and detaches it on request: at once, or in the middle of a
// pulse.
#include <Servo.h>

Servo pan;

void setup() {
  pan.attach(9);
  Serial.begin(9600);
}

void loop() {
  switch (Serial.read()) {
  case 'a': pan.attach(9); break;
  case 'd':
    while (digitalRead(9)) {}
    pan.detach();
    break;
  case 'h':
    while (!digitalRead(9)) {}
    pan.detach();
    break;
  case 'l': digitalWrite(9, LOW); break;
  case 'w': pan.write(45); break;
  }
}
