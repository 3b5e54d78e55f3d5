// A head, two angles, and the sum of the angles.
#include <Servo.h>

Servo pan, tilt;
byte frame[5];
byte count = 0;

void setup() {
  Serial.begin(19200);
  pan.attach(9);
  tilt.attach(10);
  Serial.println("frames");
}

void loop() {
  if (!Serial.available()) return;
  byte value = Serial.read();
  if (count == 0 && value != 0xFF) return;
  frame[count++] = value;
  if (count < 4) return;
  count = 0;
  if ((byte)(frame[1] + frame[2]) != frame[3]) return;
  if (frame[1] > 180 || frame[2] > 180) return;
  pan.write(frame[1]);
  tilt.write(frame[2]);
}
