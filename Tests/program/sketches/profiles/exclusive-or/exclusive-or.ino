// STX, two angles, the exclusive or of all bytes before it, ETX.
#include <Servo.h>

Servo pan, tilt;
byte frame[5];
byte count = 0;

void setup() {
  Serial.begin(19200);
  pan.attach(9);
  tilt.attach(10);
}

void loop() {
  if (!Serial.available()) return;
  byte value = Serial.read();
  if (count == 0 && value != 0x02) return;
  frame[count++] = value;
  if (count < 5) return;
  count = 0;
  if ((frame[0] ^ frame[1] ^ frame[2]) != frame[3] || frame[4] != 0x03) return;
  if (frame[1] > 180 || frame[2] > 180) return;
  pan.write(frame[1]);
  tilt.write(frame[2]);
}
