// The turret as it was published, in our own words, faults and all: for those who want the
// original's behaviour. `guarded` does the same without the faults.
//
//   X digits .   aim: that many degrees, 0...180
//   L            target lost: sweep between 20 and 160 degrees until a byte comes
//
// 9600 baud, the servo on pin 9. Nothing answers. What a sender must not do is in traces/README.md.
#include <SentryServo.h>

const int lowest = 20;
const int highest = 160;
const int stepMilliseconds = 15;

SentryServo servo;

// The library that the original was built with takes 3 us longer, which a sweep adds up.
void aim(int degrees) {
  delayMicroseconds(3);
  servo.write(degrees);
}

// Waits for digits, for ever if need be. Whatever ends the number is taken with it. The value
// wraps at 16 bits; 0xFF is -1 in a signed char, which is "no byte there", and so is skipped.
uint16_t readNumber() {
  uint16_t value = 0;
  for (;;) {
    const signed char letter = Serial.read();
    if (letter == -1) continue;
    if (letter < '0' || letter > '9') return value;
    value = value * 10 + (letter - '0');
  }
}

// One step of the sweep; false, and no step, when a byte waits.
bool step(int degrees) {
  if (Serial.peek() >= 0) return false;
  aim(degrees);
  delay(stepMilliseconds);
  return true;
}

// A triangle from the servo's present angle, until a byte waits. Both ends are written twice.
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

// Throws away what waits, in pairs until the first of a pair is missing.
void purge() {
  while (Serial.read() >= 0) Serial.read();
}

void setup() {
  Serial.begin(9600);
  servo.attach(9);
  aim(90);
  delay(1000);
}

void loop() {
  const int letter = Serial.read();
  if (letter < 0) return;
  if (letter == 'X') {
    const uint16_t degrees = readNumber();
    if (degrees <= 180) aim(degrees);
  } else if (letter == 'L') {
    sweep();
  } else {
    purge();
  }
}
