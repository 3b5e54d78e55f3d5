// A line as in NMEA 0183: the exclusive or of what is between $ and * in hexadecimal digits.
#include <Servo.h>

Servo servo;

void setup() {
  Serial.begin(9600);
  servo.attach(9);
}

void loop() {
  if (!Serial.available()) return;
  String line = Serial.readStringUntil('\n');
  int star = line.indexOf('*');
  if (line[0] != '$' || line[1] != 'P' || star < 3) return;
  byte sum = 0;
  for (int i = 1; i < star; i++) sum ^= line[i];
  if (strtol(line.c_str() + star + 1, 0, 16) != sum) return;
  long angle = line.substring(2, star).toInt();
  if (angle >= 0 && angle <= 180) servo.write(angle);
}
