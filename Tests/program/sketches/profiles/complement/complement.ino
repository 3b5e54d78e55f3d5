// 0x55, an angle, and its complement.
#include <Servo.h>

Servo servo;
byte frame[3];
byte count = 0;

void setup() {
  Serial.begin(9600);
  servo.attach(3);
}

void loop() {
  if (!Serial.available()) return;
  byte value = Serial.read();
  if (count == 0 && value != 0x55) return;
  frame[count++] = value;
  if (count < 3) return;
  count = 0;
  if ((byte)~frame[1] != frame[2] || frame[1] > 170) return;
  servo.write(frame[1]);
}
