// A clock whose four digits are servos: "T1234" and a carriage return set them, each digit in steps
// of 20 degrees from 0. It is set over an old modem line, so at 300 baud.
#include <Servo.h>

Servo digits[4];

void setup() {
  Serial.begin(300);
  for (uint8_t digit = 0; digit < 4; digit++) {
    digits[digit].attach(8 + digit);
    digits[digit].write(0);
  }
}

void loop() {
  static uint8_t place = 0xFF;
  static uint8_t values[4];
  const int c = Serial.read();
  if (c < 0) return;
  if (c == 'T') {
    place = 0;
  } else if (place < 4 && c >= '0' && c <= '9') {
    values[place++] = c - '0';
  } else if (place == 4 && c == '\r') {
    for (uint8_t digit = 0; digit < 4; digit++) digits[digit].write(20 * values[digit]);
    place = 0xFF;
  } else {
    place = 0xFF;
  }
}
