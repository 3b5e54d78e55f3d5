// A frame of bytes between 0xFF and 0xFE: the angles of two servos.
#include <Servo.h>

Servo pan, tilt;
byte frame[4];
byte count = 0;

void setup() {
  Serial.begin(9600);
  pan.attach(9);
  tilt.attach(10);
}

void loop() {
  if (!Serial.available()) return;
  byte value = Serial.read();
  if (value == 0xFF) count = 0;
  if (count == 0 && value != 0xFF) return;
  frame[count++] = value;
  if (count < 4) return;
  count = 0;
  if (frame[3] != 0xFE) return;
  if (frame[1] <= 180) pan.write(frame[1]);
  if (frame[2] <= 180) tilt.write(frame[2]);
}
