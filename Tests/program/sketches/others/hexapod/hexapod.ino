// A hexapod: 18 servos on two PCA9685 boards, at 2 000 000 baud. A frame is 0xFF, the servo 0 to 17,
// the width less 500 us in units of 8 us, and the exclusive or of the last two bytes.
#include <Wire.h>

const uint8_t boards[] = {0x40, 0x41};
uint8_t frame[4];
uint8_t length = 0;

void put(uint8_t board, uint8_t reg, uint8_t value) {
  Wire.beginTransmission(board);
  Wire.write(reg);
  Wire.write(value);
  Wire.endTransmission();
}

void pulse(uint8_t servo, uint16_t microseconds) {
  // A step is a 4096th of the period of 20 ms.
  const uint16_t off = static_cast<uint32_t>(microseconds) * 4096 / 20000;
  Wire.beginTransmission(boards[servo / 9]);
  Wire.write(0x06 + 4 * (servo % 9));
  Wire.write(0);
  Wire.write(0);
  Wire.write(off & 0xFF);
  Wire.write(off >> 8);
  Wire.endTransmission();
}

void setup() {
  Serial.begin(2000000);
  Wire.begin();
  Wire.setClock(400000);
  for (uint8_t board : boards) {
    put(board, 0x00, 0x10);  // asleep, so that the prescaler can be written
    put(board, 0xFE, 121);   // 50 Hz from 25 MHz
    put(board, 0x00, 0x20);  // awake, with automatic increment
  }
  delay(1);
  for (uint8_t servo = 0; servo < 18; servo++) pulse(servo, 1500);
}

void loop() {
  const int c = Serial.read();
  if (c < 0) return;
  if (length == 0 && c != 0xFF) return;
  frame[length++] = c;
  if (length < 4) return;
  length = 0;
  if (frame[1] < 18 && (frame[1] ^ frame[2]) == frame[3]) pulse(frame[1], 500 + 8 * frame[2]);
}
