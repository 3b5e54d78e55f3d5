// readString takes whatever arrived before a pause of a second.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(9600);
  servo.attach(9);
}

void loop() {
  if (Serial.available() == 0) return;
  String text = Serial.readString();
  long angle = text.toInt();
  if (angle >= 0 && angle <= 180) servo.write(angle);
}
