// An angle with decimals.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(115200);
  servo.attach(9);
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  if (line[0] != 'A' || line.length() < 2) return;
  float angle = line.substring(1).toFloat();
  if (angle < 0 || angle > 180) return;
  servo.writeMicroseconds(600 + (int)(angle * 10 + 0.5));
}
