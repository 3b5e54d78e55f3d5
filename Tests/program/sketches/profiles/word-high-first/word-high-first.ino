// A header of two bytes, the number of a servo, and a width with the high byte first.
#include <Servo.h>

Servo servos[2];
byte frame[5];
byte count = 0;

void setup() {
  Serial.begin(115200);
  servos[0].attach(9);
  servos[1].attach(10);
}

void loop() {
  if (!Serial.available()) return;
  byte value = Serial.read();
  if (count == 0 && value != 0xAA) return;
  if (count == 1 && value != 0x55) {
    count = 0;
    return;
  }
  frame[count++] = value;
  if (count < 5) return;
  count = 0;
  unsigned int width = frame[3] << 8 | frame[4];
  if (frame[2] < 2 && width >= 600 && width <= 2400) {
    servos[frame[2]].writeMicroseconds(width);
  }
}
