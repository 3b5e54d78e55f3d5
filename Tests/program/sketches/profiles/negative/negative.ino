// Degrees to both sides of the middle.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(9600);
  servo.attach(5);
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  if (line[0] != 'T' || line.length() < 2) return;
  long tilt = line.substring(1).toInt();
  if (tilt >= -90 && tilt <= 90) servo.write(90 + tilt);
}
