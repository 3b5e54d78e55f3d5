// The published turret sketch on the Servo library of your board. It does what `classic` does,
// faults included, on any board for which there is a Servo library.
//
//   X digits .   aim at that many degrees, 0...180
//   L            target lost: sweep between 20 and 160 degrees until a byte arrives
//
// 9600 baud, servo on pin 9. The sketch never answers. traces/README.md explains what a sender must
// avoid.
#if defined(ARDUINO_ARCH_ESP32)
// On many of these boards, pins 6 to 11 are those of the flash memory.
#include <ESP32Servo.h>
const int servoPin = 13;
#else
#include <Servo.h>
const int servoPin = 9;
#endif

const int lowest = 20;
const int highest = 160;
const int stepMilliseconds = 15;

Servo servo;

// Waits for digits, forever if necessary. The byte that ends the number is consumed. The value
// wraps at 16 bits. 0xFF is -1 in a signed char, which also means "no byte", so it is skipped.
uint16_t readNumber() {
  uint16_t value = 0;
  for (;;) {
    const signed char letter = Serial.read();
    if (letter == -1) continue;
    if (letter < '0' || letter > '9') return value;
    value = value * 10 + (letter - '0');
  }
}

// Performs one step of the sweep, or returns false if a byte is waiting.
bool step(int degrees) {
  if (Serial.peek() >= 0) return false;
  servo.write(degrees);
  delay(stepMilliseconds);
  return true;
}

// Sweeps in a triangle from the servo's present angle until a byte is waiting. Both ends are
// written twice.
void sweep() {
  for (;;) {
    for (int degrees = servo.read(); degrees <= highest; degrees++) {
      if (!step(degrees)) return;
    }
    for (int degrees = highest; degrees >= lowest; degrees--) {
      if (!step(degrees)) return;
    }
  }
}

// Discards all waiting bytes. It reads in pairs, until the first byte of a pair is missing.
void purge() {
  while (Serial.read() >= 0) Serial.read();
}

void setup() {
  Serial.begin(9600);
  servo.attach(servoPin);
  servo.write(90);
  delay(1000);
}

void loop() {
  const int letter = Serial.read();
  if (letter < 0) return;
  if (letter == 'X') {
    const uint16_t degrees = readNumber();
    if (degrees <= 180) servo.write(degrees);
  } else if (letter == 'L') {
    sweep();
  } else {
    purge();
  }
}
