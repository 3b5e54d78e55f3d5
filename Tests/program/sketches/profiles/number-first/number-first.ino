// A line of two numbers moves two servos. A line with a number out of range is ignored.
#include <Servo.h>

Servo pan, tilt;

void setup() {
  Serial.begin(9600);
  pan.attach(9);
  tilt.attach(10);
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  int comma = line.indexOf(',');
  if (comma < 1) return;
  long x = line.substring(0, comma).toInt();
  long y = line.substring(comma + 1).toInt();
  if (x < 0 || x > 180 || y < 0 || y > 180) return;
  pan.write(x);
  tilt.write(y);
}
